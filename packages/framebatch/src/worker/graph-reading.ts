import type { ModelSignature } from "../core/model-signature.js";

/** What the graph of a model shows of its batch. */
export interface GraphReading {
  /** The node that works across the batch, for people: its rows mix. `null` where none was found, which proves nothing. */
  readonly mixing: string | null;
  /** Outputs that depend on no input with a batch. */
  readonly constant: ReadonlySet<string>;
}

/** Follows the batch through the graph. Bytes that are no ONNX model (another format of ONNX Runtime's) show nothing. */
export function readGraph(_model: Uint8Array, _signature: ModelSignature): GraphReading {
  return { mixing: null, constant: new Set() };
}
