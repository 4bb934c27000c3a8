import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { type BatchFlow, followBatch } from "./batch-flow.js";
import { batchIn, outputFlowOf } from "./graph-reading.js";
import { joinedBytes } from "@framebatch/rows/tensor/joined-bytes.js";
import {
  delimited,
  fieldsOf,
  decodedText,
  withFields,
  type Field,
  constantNode,
  DIMENSION,
  GRAPH,
  graphOf,
  hasSubgraph,
  MODEL,
  NODE,
  SHAPE,
  TENSOR_TYPE,
  TYPE,
  VALUE,
} from "./onnx-graph.js";

/** Symbol of the batch dimension in a rewritten model. */
const BATCH = "batch";

export type Rebatched =
  /** An item has the same dims in its outputs as it has from the original. */
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly signature: ModelSignature }
  /** Why the model was not rewritten, human-readable. */
  | { readonly refused: string };

/**
 * Rewrites a model whose batch is fixed at 1 so that it accepts any batch size. Replaces the batch dimension of inputs
 * and outputs with a symbol, and corrects literal shapes that would merge the batch into one item, where the correct
 * shape is certain. ONNX Runtime's free dimension overrides cannot do this: they replace a symbol with a size, never a
 * size with a symbol.
 *
 * Copies weights and all other unchanged bytes once. Callers must check that the rewritten model returns the same
 * outputs as the original: the graph alone cannot show it.
 *
 * @throws when the bytes are not an ONNX model
 */
export function rebatch(model: Uint8Array, signature: ModelSignature): Rebatched {
  const tensors = [...signature.inputs, ...signature.outputs];
  if (tensors.some(({ symbols }) => symbols.includes(BATCH))) {
    return { refused: `another of its dimensions is called "${BATCH}"` };
  }
  const fields = fieldsOf(model);
  const graph = fieldsOf(fields.find(({ number }) => number === MODEL.graph)?.value ?? new Uint8Array());
  const read = graphOf(graph);
  const branching = read.nodes.find(hasSubgraph);
  if (branching !== undefined) return { refused: `it branches or loops (${branching.op})` };
  const flow = followBatch(read.nodes, read.constants, batchIn(signature.inputs));
  const batched = batchedSignature(signature, flow);
  const rewritten = graphParts(graph, flow, batched);
  const parts = fields.flatMap(({ number, whole }) =>
    number === MODEL.graph ? delimited(number, rewritten) : [whole],
  );
  return { bytes: joinedBytes(parts), signature: batched };
}

/**
 * Returns the signature of the rewritten model. An output that the only item of the original gets whole is split if the
 * graph shows where the items are in it.
 */
function batchedSignature({ inputs, outputs }: ModelSignature, { flows }: BatchFlow): ModelSignature {
  const split = outputs.map((info): TensorInfo => {
    const flow = outputFlowOf(flows.get(info.name));
    const isSplit = info.batchAxis === null && flow.kind === "rows" && flow.axis < info.dims.length;
    return isSplit ? { ...info, batchAxis: flow.axis, isFolded: true } : info;
  });
  return { inputs: inputs.map(withFreeBatch), outputs: split.map(withFreeBatch), fixedBatch: null };
}

function withFreeBatch(info: TensorInfo): TensorInfo {
  const { batchAxis, dims, symbols, isFolded } = info;
  if (batchAxis === null) return info;
  const symbol = isFolded === true ? null : BATCH;
  return { ...info, dims: dims.with(batchAxis, null), symbols: symbols.with(batchAxis, symbol) };
}

function graphParts(graph: readonly Field[], { shapes }: BatchFlow, { inputs, outputs }: ModelSignature): Uint8Array[] {
  let index = 0;
  return graph.flatMap(({ number, value, whole }) => {
    if (number === GRAPH.input) return delimited(number, [withSymbol(value, inputs)]);
    if (number === GRAPH.output) return delimited(number, [withSymbol(value, outputs)]);
    // Shapes inside the graph are hints, which ONNX Runtime infers again. They do not show which size 1 is the batch.
    if (number === GRAPH.valueInfo) return delimited(number, [withDims(value, () => null)]);
    const place = number === GRAPH.node ? index++ : -1;
    const shape = shapes.get(place);
    return shape === undefined ? [whole] : withShape(value, shape, `framebatch_shape_${place}`);
  });
}

/** Returns a reshape with a new constant for its shape before it. Other nodes may use the original constant. */
function withShape(reshape: Uint8Array, shape: readonly number[], name: string): Uint8Array[] {
  const renamed = new TextEncoder().encode(name);
  const changed = withFields(reshape, NODE.input, (input, index) => (index === 1 ? renamed : input));
  return [...delimited(GRAPH.node, [constantNode(name, shape)]), ...delimited(GRAPH.node, [changed])];
}

/**
 * Replaces the batch dimension of an input or output with the symbol. Returns it unchanged if it has no batch or is not
 * in the signature.
 */
function withSymbol(value: Uint8Array, tensors: readonly TensorInfo[]): Uint8Array {
  const name = fieldsOf(value).find(({ number }) => number === VALUE.name);
  const tensor = tensors.find((known) => name !== undefined && known.name === decodedText(name.value));
  if (tensor === undefined || tensor.batchAxis === null) return value;
  const named = () => joinedBytes(delimited(DIMENSION.symbol, [new TextEncoder().encode(BATCH)]));
  const symbol = tensor.isFolded === true ? new Uint8Array() : named();
  return withDims(value, (shape) =>
    withFields(shape, SHAPE.dim, (dim, axis) => (axis === tensor.batchAxis ? symbol : dim)),
  );
}

function withDims(value: Uint8Array, change: (shape: Uint8Array) => Uint8Array | null): Uint8Array {
  return withFields(value, VALUE.type, (type) =>
    withFields(type, TYPE.tensor, (tensor) => withFields(tensor, TENSOR_TYPE.shape, change)),
  );
}
