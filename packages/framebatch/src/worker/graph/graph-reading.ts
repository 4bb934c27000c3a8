import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { followBatch } from "./batch-flow.js";
import type { Rows } from "./values.js";
import { readOnnx, type OnnxGraph } from "./onnx-graph.js";

/** What the graph of a model shows about its batch. */
export interface GraphReading {
  /** Human-readable description of a node that mixes rows; `null` if none was found, which proves nothing. */
  readonly mixing: string | null;
  /** Outputs that do not depend on the contents of items. */
  readonly constant: ReadonlySet<string>;
}

/** The reading of a graph that was not read. */
export const UNREADABLE: GraphReading = { mixing: null, constant: new Set() };

/**
 * Follows the batch through the graph of a model. Returns `UNREADABLE` for bytes that are not an ONNX model: ONNX Runtime
 * also has a format of its own.
 */
export function readGraph(model: Uint8Array, signature: ModelSignature): GraphReading {
  const graph = readOrNull(model);
  if (graph === null) return UNREADABLE;
  const { flows } = followBatch(graph.nodes, graph.constants, batchIn(signature.inputs));
  const outputs = signature.outputs.map(({ name }) => ({ name, flow: flows.get(name) }));
  const mixed = outputs.flatMap(({ flow }) => (flow?.kind === "mixed" ? [flow.by] : []));
  const constant = outputs.filter(({ flow }) => flow === undefined || flow.kind === "size");
  return { mixing: mixed[0] ?? null, constant: new Set(constant.map(({ name }) => name)) };
}

/** Returns the batch of each batched input, by name. */
export function batchIn(inputs: readonly TensorInfo[]): Map<string, Rows> {
  return new Map(
    inputs.flatMap(({ name, dims, batchAxis }): [string, Rows][] =>
      batchAxis === null
        ? []
        : [[name, { kind: "rows", axis: batchAxis, rank: dims.length, isFolded: false, isCertain: true }]],
    ),
  );
}

function readOrNull(model: Uint8Array): OnnxGraph | null {
  try {
    return readOnnx(model);
  } catch {
    return null;
  }
}
