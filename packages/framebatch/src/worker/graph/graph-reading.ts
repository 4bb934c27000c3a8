import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { OutputFlow } from "@framebatch/rows/model/output-rows.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { followBatch } from "./batch-flow.js";
import type { Flow, Rows } from "./values.js";
import { readOnnx, type OnnxGraph, type Constant, type OnnxNode } from "./onnx-graph.js";
import { classOf, type OperatorClass } from "./operators.js";

/** What the graph of a model shows about its batch. */
export interface GraphReading {
  /** Human-readable description of a node that mixes rows; `null` if none was found, which proves nothing. */
  readonly mixing: string | null;
  /** Why an output that each item of a batch gets whole is not the same for all of them; `null` if there is none. */
  readonly shared: string | null;
  /** Outputs that do not depend on the contents of items. */
  readonly constant: ReadonlySet<string>;
  /** Outputs whose rows are each computed from one item alone. Fewer than there are. */
  readonly byRow: ReadonlySet<string>;
}

/** The reading of a graph that was not read. */
export const UNREADABLE: GraphReading = { mixing: null, shared: null, constant: new Set(), byRow: new Set() };

/** How the values of a graph depend on the batch, by name. */
export interface GraphFlows {
  readonly flows: ReadonlyMap<string, Flow>;
  /** See `valuesByRow`. */
  readonly byRow: ReadonlySet<string>;
}

/**
 * Follows the batch through the graph of a model. Returns `null` for bytes that are not an ONNX model: ONNX Runtime
 * also has a format of its own.
 */
export function flowsIn(model: Uint8Array, inputs: readonly TensorInfo[]): GraphFlows | null {
  const graph = readOrNull(model);
  if (graph === null) return null;
  const { nodes, constants } = graph;
  const batch = batchIn(inputs);
  const { flows } = followBatch(nodes, constants, batch);
  return { flows, byRow: valuesByRow(nodes, constants, flows, [...batch.keys()]) };
}

/** Returns what the flow of an output shows of its axes. */
export function outputFlowOf(flow: Flow | undefined): OutputFlow {
  switch (flow?.kind) {
    case undefined:
      return { kind: "free" };
    case "rows":
      return flow.isCertain ? { kind: "rows", axis: flow.axis, mayBeFolded: flow.isFolded } : { kind: "unknown" };
    case "counted":
      return { kind: "sized", axis: flow.axis };
    case "count":
      return { kind: "sized", axis: null };
    default:
      return { kind: "unknown" };
  }
}

/** Returns what the graph of a model shows. @param graph its flows; `null` if they could not be read */
export function readGraph(graph: GraphFlows | null, signature: ModelSignature): GraphReading {
  if (graph === null) return UNREADABLE;
  const { flows, byRow } = graph;
  const outputs = signature.outputs.map((info) => ({ info, flow: flows.get(info.name) }));
  const mixed = outputs.flatMap(({ flow }) => (flow?.kind === "mixed" ? [flow.by] : []));
  const shared = outputs.flatMap(({ info, flow }) => sharedBy(info, flow) ?? []);
  const constant = outputs.filter(({ flow }) => isConstant(flow));
  return {
    mixing: mixed[0] ?? null,
    shared: shared[0] ?? null,
    constant: new Set(constant.map(({ info }) => info.name)),
    byRow: new Set(outputs.map(({ info }) => info.name).filter((name) => byRow.has(name))),
  };
}

/** Whether a value depends on no item: on nothing of the batch, or on its size only. */
function isConstant(flow: Flow | undefined): boolean {
  return flow === undefined || flow.kind === "size";
}

/** Returns why the items of a batch must not share an output; `null` if it is split, or no item changes it. */
function sharedBy({ name, batchAxis }: TensorInfo, flow: Flow | undefined): string | null {
  if (batchAxis !== null || flow === undefined || isConstant(flow)) return null;
  return `output "${name}" ${dependence(flow)}, and each would get all of it`;
}

function dependence(flow: Flow): string {
  switch (flow.kind) {
    case "counted":
    case "count":
      return `has a size that all items of a batch decide together (${flow.by})`;
    case "mixed":
      return `is made of all items of a batch together (${flow.by})`;
    case "unknown":
      return "may depend on all items of a batch";
    default:
      return "holds what all items of a batch hold";
  }
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
function valuesByRow(
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
