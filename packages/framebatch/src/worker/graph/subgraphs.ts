import type { BatchFlow } from "./batch-flow.js";
import {
  graphAttribute,
  hasSubgraph,
  integerAttribute,
  type Constant,
  type OnnxGraph,
  type OnnxNode,
} from "./onnx-graph.js";
import { without } from "./shapes.js";
import { CONTENTS, listOf, mixedBy, mixedByCount, UNKNOWN, type Flow, type Known } from "./values.js";

/** Follows the batch through the nodes of a graph; see `followBatch`. */
type Follow = (
  nodes: readonly OnnxNode[],
  constants: ReadonlyMap<string, Constant>,
  inputs: ReadonlyMap<string, Flow>,
) => BatchFlow;

/** The flows of values, in order; `undefined` for one that depends on no batched input. */
type Values = readonly (Flow | undefined)[];

/** Maximum number of passes through a loop until the flows of its states no longer change. */
const MAX_PASSES = 4;

/** Returns the flows of the outputs of a node that contains graphs; `null` if it contains none. */
export function branchFlows(node: OnnxNode, known: Known, follow: Follow): Values | null {
  if (!hasSubgraph(node)) return null;
  const run = (graph: OnnxGraph, inputs: Values) => runInside(graph, inputs, known, follow);
  const flows = flowsInside(node, known, run) ?? node.outputs.map(() => UNKNOWN);
  const decider = node.inputs.slice(0, deciding(node)).map((input) => known.flows.get(input));
  const kept = keptStates(node);
  return flows.map((flow, place) => (kept.has(place) ? flow : decidedBy(decider, flow)));
}

/** The states of a loop that each pass hands on as they are. */
function keptStates(node: OnnxNode): ReadonlySet<number> {
  const body = node.op === "Loop" ? graphAttribute(node, "body") : null;
  const origin = (name: string): string => {
    const copy = body?.nodes.find(({ op, outputs }) => op === "Identity" && outputs[0] === name);
    return copy === undefined ? name : origin(copy.inputs[0] ?? "");
  };
  const states = body?.inputs.slice(2) ?? [];
  return new Set(states.flatMap((state, place) => (origin(body?.outputs[place + 1] ?? "") === state ? [place] : [])));
}

/**
 * A value that a condition or a number of passes decides, with all its elements and their number. What the branches
 * or passes make of a count is not known, unless all they return are the rows of items.
 */
function decidedBy(deciders: Values, flow: Flow | undefined): Flow | undefined {
  const mixed = deciders.find((decider) => decider?.kind === "mixed");
  if (mixed?.kind === "mixed") return { ...mixed, isSized: true };
  const count = deciders.find((decider) => decider?.kind === "count");
  if (count?.kind !== "count") return flow;
  if (flow === undefined || flow.kind === "size") return { ...count, places: null, length: null };
  return flow.kind === "rows" ? mixedByCount(count) : UNKNOWN;
}

type Run = (graph: OnnxGraph, inputs: Values) => Values;

/** The number of inputs that decide which graph runs, or how often. */
function deciding({ op }: OnnxNode): number {
  return op === "If" ? 1 : op === "Loop" ? 2 : 0;
}

function flowsInside(node: OnnxNode, known: Known, run: Run): Values | null {
  switch (node.op) {
    case "If":
      return eitherBranch(node, known, run);
    case "Loop":
      return repeated(node, known, run);
    case "Scan":
      return scanned(node, known, run);
    default:
      return null;
  }
}

function runInside(graph: OnnxGraph, inputs: Values, known: Known, follow: Follow): Values {
  const bound = graph.inputs.flatMap((name, place): [string, Flow][] => {
    const flow = inputs[place];
    return flow === undefined ? [] : [[name, flow]];
  });
  const constants = new Map([...known.constants, ...graph.constants]);
  const { flows } = follow(graph.nodes, constants, new Map([...known.flows, ...bound]));
  return graph.outputs.map((name) => flows.get(name));
}

/**
 * The branch that a constant chooses, or both. If the condition depends on no item, it is not known which one runs, and
 * a branch that mixes rows proves nothing.
 */
function eitherBranch(node: OnnxNode, known: Known, run: Run): Values | null {
  const [then, otherwise] = [graphAttribute(node, "then_branch"), graphAttribute(node, "else_branch")];
  if (then === null || otherwise === null) return null;
  const [chosen] = listOf(node, 0, known) ?? [];
  if (chosen !== undefined) return run(chosen === 0 ? otherwise : then, []);
  const condition = known.flows.get(node.inputs[0] ?? "");
  const [one, other] = [run(then, []), run(otherwise, [])];
  return one.map((flow, place) => {
    const either = merged(flow, other[place]);
    return condition === undefined && either?.kind === "mixed" && !areMixed(flow, other[place]) ? UNKNOWN : either;
  });
}

function areMixed(...flows: Values): boolean {
  return flows.every((flow) => flow?.kind === "mixed");
}

/** A loop: its inputs are a count, a condition and states; its outputs the states, and all values of others. */
function repeated(node: OnnxNode, known: Known, run: Run): Values | null {
  const body = graphAttribute(node, "body");
  if (body === null) return null;
  let states: Values = node.inputs.slice(2).map((input) => known.flows.get(input));
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const [goesOn, ...after] = run(body, [undefined, undefined, ...states]);
    const next = states.map((state, place) => merged(state, after[place]));
    if (goesOn?.kind === "mixed") return node.outputs.map(() => ({ ...goesOn, isSized: true }));
    if (areSame(states, next)) return [...next, ...after.slice(states.length).map(stacked)];
    states = next;
  }
  return null;
}

/** A value of each pass, stacked along a new first dimension. */
function stacked(flow: Flow | undefined): Flow | undefined {
  if (flow?.kind !== "rows") return placed(flow);
  return { ...flow, axis: flow.axis + 1, rank: flow.rank === null ? null : flow.rank + 1 };
}

/** A scan: its inputs are states and values that it takes apart along an axis, the first one by default. */
function scanned(node: OnnxNode, known: Known, run: Run): Values | null {
  const body = graphAttribute(node, "body");
  const count = integerAttribute(node, "num_scan_inputs")?.[0] ?? 0;
  if (body === null) return null;
  const given = node.inputs.map((input) => known.flows.get(input));
  let states: Values = given.slice(0, given.length - count);
  const axes = integerAttribute(node, "scan_input_axes") ?? [];
  const parts = given
    .slice(states.length)
    .map((flow, place) => partOf(node, flow, axes[place] ?? 0, states.length > 0));
  const outputAxes = integerAttribute(node, "scan_output_axes") ?? [];
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const after = run(body, [...states, ...parts]);
    const next = states.map((state, place) => merged(state, after[place]));
    if (areSame(states, next)) {
      const scans = after
        .slice(states.length)
        .map((flow, place) => ((outputAxes[place] ?? 0) === 0 ? stacked(flow) : unplaced(flow)));
      return [...next, ...scans];
    }
    states = next;
  }
  return null;
}

/** What one step of a scan gets. Steps along the batch with a state carry what one item holds to the next. */
function partOf(node: OnnxNode, flow: Flow | undefined, axis: number, hasState: boolean): Flow | undefined {
  if (flow?.kind !== "rows") return placed(flow);
  if (flow.axis === axis) return hasState && flow.isCertain ? mixedBy(node) : UNKNOWN;
  return axis < 0 ? UNKNOWN : (without(flow, [axis]) ?? UNKNOWN);
}

function unplaced(flow: Flow | undefined): Flow | undefined {
  return flow?.kind === "rows" ? CONTENTS : placed(flow);
}

/** A value that is taken apart or stacked has other dimensions, so that those of a count are unknown. */
function placed(flow: Flow | undefined): Flow | undefined {
  return flow?.kind === "counted" || flow?.kind === "count" ? UNKNOWN : flow;
}

/** The flow of a value that comes from one of two places. */
function merged(one: Flow | undefined, other: Flow | undefined): Flow | undefined {
  if (one === undefined || other === undefined || isSame(one, other)) return one ?? other;
  for (const kind of ["mixed", "unknown"] as const) {
    const found = [one, other].find((flow) => flow.kind === kind);
    if (found !== undefined) return found;
  }
  if ([one, other].some(({ kind }) => kind === "counted" || kind === "count")) return UNKNOWN;
  if (one.kind === "size") return other;
  return other.kind === "size" ? one : CONTENTS;
}

function areSame(one: Values, other: Values): boolean {
  return one.every((flow, place) => isSame(flow, other[place]));
}

function isSame(one: Flow | undefined, other: Flow | undefined): boolean {
  if (one?.kind === "counted" || one?.kind === "count") return JSON.stringify(one) === JSON.stringify(other);
  if (one?.kind !== "rows" || other?.kind !== "rows") return one?.kind === other?.kind;
  return one.axis === other.axis && one.rank === other.rank && one.isCertain === other.isCertain;
}
