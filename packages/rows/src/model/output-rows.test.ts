import { describe, expect, it } from "vitest";
import type { TensorInfo } from "../tensor/tensor.js";
import { judgeOutput, type OutputEvidence, type OutputFlow } from "./output-rows.js";

const UNKNOWN: OutputFlow = { kind: "unknown" };

function rows(axis: number, mayBeFolded = false): OutputFlow {
  return { kind: "rows", axis, mayBeFolded };
}

interface Case {
  readonly what: string;
  readonly dims: readonly (number | null)[];
  readonly axis: number | null;
  readonly origin?: OutputEvidence["origin"];
  /** Its dims in a run of one row, and of two. */
  readonly runs?: readonly (readonly number[])[];
  readonly flow?: OutputFlow;
  /** The axis; a text for a folded one; "?" if nothing tells it. */
  readonly gives: number | null | string;
  readonly isSure?: boolean;
}

function judge({ dims, axis, origin = "guessed", runs = [], flow = UNKNOWN }: Case) {
  const output: TensorInfo = { name: "y", type: "float32", dims, symbols: dims.map(() => null), batchAxis: axis };
  const seen = runs.map((of, index) => ({ rows: index + 1, dims: of }));
  const { info, isSure } = judgeOutput(output, { origin, runs: seen, flow: () => flow });
  if (info === null) return { gives: "?", isSure };
  return { gives: info.isFolded === true ? `several on axis ${info.batchAxis}` : info.batchAxis, isSure };
}

const cases: Case[] = [
  { what: "a name that a run confirms", dims: [null], axis: 0, origin: "named", runs: [[1]], gives: 0 },
  { what: "a guess that nothing confirms", dims: [null], axis: 0, gives: 0, isSure: false },
  { what: "a guess that one run confirms", dims: [null], axis: 0, runs: [[1]], gives: 0, isSure: false },
  { what: "a guess that two runs confirm", dims: [null], axis: 0, runs: [[1], [2]], gives: 0 },
  { what: "a guess that the graph confirms", dims: [null], axis: 0, flow: rows(0), gives: 0 },
  { what: "rows that may be folded", dims: [null, 4], axis: 0, flow: rows(0, true), gives: 0, isSure: false },
  {
    what: "rows that are folded",
    dims: [null, 4],
    axis: 0,
    runs: [[5, 4]],
    flow: rows(0, true),
    gives: "several on axis 0",
  },
  { what: "rows that could be folded", dims: [null, 4], axis: 0, runs: [[1, 4]], flow: rows(0, true), gives: 0 },
  {
    what: "as many rows as the items hold",
    dims: [null, 4],
    axis: 0,
    runs: [
      [5, 4],
      [10, 4],
    ],
    gives: null,
  },
  {
    what: "one row for each item by chance",
    dims: [null, 4],
    axis: 0,
    runs: [
      [1, 4],
      [2, 4],
    ],
    flow: { kind: "sized", axis: 0 },
    gives: null,
  },
  {
    what: "columns that the items count",
    dims: [null, null],
    axis: 0,
    runs: [
      [1, 3],
      [2, 3],
    ],
    flow: { kind: "sized", axis: 1 },
    gives: 0,
  },
  {
    what: "no rows at all",
    dims: [null, 4],
    axis: 0,
    runs: [
      [0, 4],
      [0, 4],
    ],
    gives: null,
  },
  {
    what: "a wrong name of rows that are folded",
    dims: [null, 4],
    axis: 0,
    origin: "named",
    runs: [
      [5, 4],
      [10, 4],
    ],
    gives: "several on axis 0",
  },
  {
    what: "a wrong name of what does not grow",
    dims: [null, 4],
    axis: 0,
    origin: "named",
    runs: [
      [0, 4],
      [0, 4],
    ],
    gives: null,
  },
  { what: "a fixed size that grows", dims: [1], axis: null, runs: [[1], [2]], gives: 0 },
  { what: "a fixed size that does not grow", dims: [3], axis: null, runs: [[3], [3]], gives: null },
  { what: "a constant", dims: [3], axis: null, flow: { kind: "free" }, gives: null },
  { what: "a fixed size before any run", dims: [1], axis: null, gives: "?", isSure: false },
  {
    what: "a matrix of all pairs",
    dims: [1, 1],
    axis: null,
    runs: [
      [1, 1],
      [2, 2],
    ],
    gives: "?",
  },
  {
    what: "another rank than declared",
    dims: [null],
    axis: 0,
    runs: [
      [1, 1],
      [2, 1],
    ],
    gives: 0,
  },
  {
    what: "an inner axis that grows",
    dims: [2, 1],
    axis: null,
    runs: [
      [2, 1],
      [2, 2],
    ],
    gives: 1,
  },
  {
    what: "the user's whole output",
    dims: [null],
    axis: null,
    origin: "told",
    runs: [[1], [2]],
    flow: rows(0),
    gives: null,
  },
  {
    what: "the user's axis that is folded",
    dims: [null],
    axis: 0,
    origin: "told",
    runs: [[5]],
    flow: rows(0, true),
    gives: "several on axis 0",
  },
  {
    what: "the user's axis that does not fit",
    dims: [null, 1],
    axis: 0,
    origin: "told",
    runs: [
      [3, 1],
      [3, 2],
    ],
    gives: 0,
  },
];

describe("an output is divided by its declaration, its graph and its runs", () => {
  it.each(cases)("$what: $gives", (asked) => {
    expect(judge(asked)).toEqual({ gives: asked.gives, isSure: asked.isSure ?? true });
  });

  it("has a free size where it has rows, and the rank of its runs", () => {
    const output: TensorInfo = { name: "y", type: "int64", dims: [1], symbols: [null], batchAxis: null };
    const runs = [1, 2].map((count) => ({ rows: count, dims: [count, 3] }));
    const { info } = judgeOutput(output, { origin: "guessed", runs, flow: () => UNKNOWN });
    expect(info).toEqual({ ...output, dims: [null, null], symbols: [null, null], batchAxis: 0 });
  });
});
