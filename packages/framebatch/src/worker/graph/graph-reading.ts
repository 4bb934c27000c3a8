import type { ModelSignature } from "../../core/model/signature.js";
import type { TensorInfo } from "../../core/tensor/tensor.js";
import { followBatch } from "./batch-flow.js";
import type { Rows } from "./values.js";
import { readOnnx, type OnnxGraph } from "./onnx-graph.js";

/** What the graph of a model shows of its batch. */
export interface GraphReading {
  /** The node that works across the batch, for people: its rows mix. `null` where none was found, which proves nothing. */
  readonly mixing: string | null;
  /** Outputs that depend on nothing that an item holds. */
  readonly constant: ReadonlySet<string>;
}

/** What a graph shows that was not read. */
export const NOTHING: GraphReading = { mixing: null, constant: new Set() };

/** Follows the batch through the graph. Bytes that are no ONNX model (ONNX Runtime has a format of its own, too) show nothing. */
export function readGraph(model: Uint8Array, signature: ModelSignature): GraphReading {
  const graph = readOrNull(model);
  if (graph === null) return NOTHING;
  const { flows } = followBatch(graph.nodes, graph.constants, batchIn(signature.inputs));
  const outputs = signature.outputs.map(({ name }) => ({ name, flow: flows.get(name) }));
  const mixed = outputs.flatMap(({ flow }) => (flow?.kind === "mixed" ? flow.by : []));
  const constant = outputs.filter(({ flow }) => flow === undefined || flow.kind === "size");
  return { mixing: mixed[0] ?? null, constant: new Set(constant.map(({ name }) => name)) };
}

/** Where the batch lies in the inputs that have one. */
export function batchIn(inputs: readonly TensorInfo[]): Map<string, Rows> {
  return new Map(
    inputs.flatMap(({ name, type, dims, batchAxis }): [string, Rows][] => {
      if (batchAxis === null) return [];
      const rest = { isFolded: false, isFloat: type.startsWith("float"), isCertain: true } as const;
      return [[name, { kind: "rows", axis: batchAxis, rank: dims.length, ...rest }]];
    }),
  );
}

function readOrNull(model: Uint8Array): OnnxGraph | null {
  try {
    return readOnnx(model);
  } catch {
    return null;
  }
}
