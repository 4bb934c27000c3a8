import { flowsOf } from "./node-flows.js";
import { reshape } from "./shapes.js";
import type { Flow, Known } from "./values.js";
import type { Constant, OnnxNode } from "./onnx-graph.js";
import { branchFlows } from "./subgraphs.js";

export interface BatchFlow {
  readonly flows: ReadonlyMap<string, Flow>;
  /** Shapes that keep the batch where a reshape's literal shape would merge it into one item, by the node's index. */
  readonly shapes: ReadonlyMap<number, readonly number[]>;
}

/**
 * Follows the batch from the inputs through the graph. After an unsupported operation, the batch is unknown.
 *
 * @param nodes in topological order, as ONNX requires
 * @param inputs the values whose flow is known, by name
 */
export function followBatch(
  nodes: readonly OnnxNode[],
  constants: ReadonlyMap<string, Constant>,
  inputs: ReadonlyMap<string, Flow>,
): BatchFlow {
  const known: Known = { flows: new Map(inputs), constants };
  const shapes = new Map<number, readonly number[]>();
  for (const [index, node] of nodes.entries()) {
    const reshaped = node.op === "Reshape" ? reshape(node, known) : null;
    if (reshaped?.shape) shapes.set(index, reshaped.shape);
    const flows = reshaped?.flow ?? branchFlows(node, known, followBatch) ?? flowsOf(node, known);
    for (const [place, output] of node.outputs.entries()) {
      const flow = Array.isArray(flows) ? flows[place] : flows;
      if (flow !== undefined) known.flows.set(output, flow);
    }
  }
  return { flows: known.flows, shapes };
}
