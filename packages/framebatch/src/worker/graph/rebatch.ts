import type { ModelSignature } from "../../core/model/signature.js";
import type { TensorInfo } from "../../core/tensor/tensor.js";
import { followBatch } from "./batch-flow.js";
import { batchIn } from "./graph-reading.js";
import { delimited, fieldsOf, joined, textOf, withFields, type Field } from "./onnx-fields.js";
import {
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
  type OnnxGraph,
} from "./onnx-graph.js";

/** What the batch is called in a rewritten model. */
const BATCH = "batch";

export type Rebatched =
  | { readonly bytes: Uint8Array<ArrayBuffer> }
  /** Why it was not tried; for people. */
  | { readonly refused: string };

/**
 * Rewrites a model whose batch is fixed at 1 so that it takes any: the batch dimension of inputs and outputs becomes a symbol,
 * and literal shapes that would cram the batch into one item are mended where it is plain how. ONNX Runtime's overrides of free
 * dimensions cannot do this: they put a size in place of a symbol, never a symbol in place of a size.
 *
 * Weights and whatever else is left alone are the same bytes as before, copied once. That the rewritten model answers as the
 * old one does is for its user to check: no look at a graph can tell.
 *
 * @throws where the bytes are no ONNX model
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
  const rewritten = graphParts(graph, read, signature);
  const parts = fields.flatMap(({ number, whole }) =>
    number === MODEL.graph ? delimited(number, rewritten) : [whole],
  );
  return { bytes: joined(parts) };
}

function graphParts(
  graph: readonly Field[],
  { nodes, constants }: OnnxGraph,
  { inputs, outputs }: ModelSignature,
): Uint8Array[] {
  const { shapes } = followBatch(nodes, constants, batchIn(inputs));
  let index = 0;
  return graph.flatMap(({ number, value, whole }) => {
    if (number === GRAPH.input) return delimited(number, [withSymbol(value, inputs)]);
    if (number === GRAPH.output) return delimited(number, [withSymbol(value, outputs)]);
    // Shapes inside the graph are hints, and ONNX Runtime infers them anew. Which of their ones are the batch, none tells.
    if (number === GRAPH.valueInfo) return delimited(number, [withDims(value, () => null)]);
    const place = number === GRAPH.node ? index++ : -1;
    const shape = shapes.get(place);
    return shape === undefined ? [whole] : withShape(value, shape, `framebatch_shape_${place}`);
  });
}

/** A reshape with a shape of its own before it: others may use the one that it had. */
function withShape(reshape: Uint8Array, shape: readonly number[], name: string): Uint8Array[] {
  const renamed = new TextEncoder().encode(name);
  const changed = withFields(reshape, NODE.input, (input, index) => (index === 1 ? renamed : input));
  return [...delimited(GRAPH.node, [constantNode(name, shape)]), ...delimited(GRAPH.node, [changed])];
}

/** An input or output with the symbol for its batch dimension; unchanged where it has none, or is no tensor of the signature. */
function withSymbol(value: Uint8Array, tensors: readonly TensorInfo[]): Uint8Array {
  const name = fieldsOf(value).find(({ number }) => number === VALUE.name);
  const tensor = tensors.find((known) => name !== undefined && known.name === textOf(name.value));
  if (tensor === undefined || tensor.batchAxis === null) return value;
  const symbol = joined(delimited(DIMENSION.symbol, [new TextEncoder().encode(BATCH)]));
  return withDims(value, (shape) =>
    withFields(shape, SHAPE.dim, (dim, axis) => (axis === tensor.batchAxis ? symbol : dim)),
  );
}

function withDims(value: Uint8Array, change: (shape: Uint8Array) => Uint8Array | null): Uint8Array {
  return withFields(value, VALUE.type, (type) =>
    withFields(type, TYPE.tensor, (tensor) => withFields(tensor, TENSOR_TYPE.shape, change)),
  );
}
