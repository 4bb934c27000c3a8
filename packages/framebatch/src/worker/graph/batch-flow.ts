import { flowOf } from "./rules.js";
import { reshape } from "./shapes.js";
import type { Flow, Rows } from "./values.js";
import type { Constant, OnnxNode } from "./onnx-graph.js";

export interface BatchFlow {
  readonly flows: ReadonlyMap<string, Flow>;
  /** Shapes that keep the batch where a reshape's literal shape would merge it into one item, by the node's index. */
  readonly shapes: ReadonlyMap<number, readonly number[]>;
}

/**
 * Follows the batch from the inputs through the graph. After an unsupported operation, the batch is unknown.
 *
 * @param nodes in topological order, as ONNX requires
 * @param inputs the batched inputs, by name
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
