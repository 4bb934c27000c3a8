import type { Constant, OnnxNode } from "./onnx-graph.js";
import { classOf, type OperatorClass } from "./operators.js";
import type { Flow } from "./values.js";

/** Classes that keep rows apart, whatever they are given of rows in the same order. */
const ANY_ROWS: ReadonlySet<OperatorClass | null> = new Set(["elementwise", "products"]);
/** Classes that keep rows apart if one input has them. Another that has them could choose among those of the first. */
const ONE_INPUT: ReadonlySet<OperatorClass | null> = new Set([
  "items",
  "pictures",
  "along",
  "normalizing",
  "reducing",
  "recurrent",
  "layout",
  "selecting",
]);

/**
 * Returns the values whose rows are each computed from one item, by operators that are all known, and from nothing else
 * of the batch, not even its size. Fewer than there are: what is not certain is left out.
 *
 * @param flows those of all values
 * @param inputs names of the inputs with rows
 */
export function valuesByRow(
  nodes: readonly OnnxNode[],
  constants: ReadonlyMap<string, Constant>,
  flows: ReadonlyMap<string, Flow>,
  inputs: readonly string[],
): ReadonlySet<string> {
  const found = new Set(inputs);
  for (const node of nodes) {
    const given = new Set(node.inputs.filter((input) => flows.has(input)));
    if (given.size === 0 || ![...given].every((input) => found.has(input))) continue;
    if (!keepsRows(node, given.size, constants)) continue;
    for (const output of node.outputs) {
      const flow = flows.get(output);
      if (flow?.kind === "rows" && flow.isCertain) found.add(output);
    }
  }
  return found;
}

function keepsRows(node: OnnxNode, given: number, constants: ReadonlyMap<string, Constant>): boolean {
  const kind = classOf(node.op);
  if (ANY_ROWS.has(kind) || node.op === "Concat") return true;
  return given === 1 && ONE_INPUT.has(kind) && (node.op !== "Reshape" || isOpen(node, constants));
}

/** Whether the first size of a reshape grows with the batch. A literal one would make one item of all. */
function isOpen({ inputs }: OnnxNode, constants: ReadonlyMap<string, Constant>): boolean {
  const [first] = constants.get(inputs[1] ?? "")?.list ?? [];
  return first === 0 || first === -1;
}
