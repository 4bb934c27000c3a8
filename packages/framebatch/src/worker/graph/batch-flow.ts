import { flowOf } from "./rules.js";
import { reshape } from "./shapes.js";
import type { Flow, Rows } from "./values.js";
import type { Constant, OnnxNode } from "./onnx-graph.js";

export interface BatchFlow {
  readonly flows: ReadonlyMap<string, Flow>;
  /** Shapes that keep the batch where a literal one would cram it into one item, by the place of the reshape among the nodes. */
  readonly shapes: ReadonlyMap<number, readonly number[]>;
}

/**
 * Follows the batch from the inputs through the graph. An operation that is not known here ends the trail.
 *
 * @param nodes in an order in which each comes after those that it depends on, as ONNX demands
 * @param inputs those with a batch, by name
 */
export function followBatch(
  nodes: readonly OnnxNode[],
  constants: ReadonlyMap<string, Constant>,
  inputs: ReadonlyMap<string, Rows>,
): BatchFlow {
  const flows = new Map<string, Flow>(inputs);
  const known = { flows, constants };
  const shapes = new Map<number, readonly number[]>();
  for (const [index, node] of nodes.entries()) {
    const reshaped = node.op === "Reshape" ? reshape(node, known) : null;
    if (reshaped?.shape) shapes.set(index, reshaped.shape);
    const flow = reshaped?.flow ?? flowOf(node, known);
    if (flow !== undefined) for (const output of node.outputs) flows.set(output, flow);
  }
  return { flows, shapes };
}
