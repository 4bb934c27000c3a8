import { readFileSync } from "node:fs";
import * as ort from "onnxruntime-web/wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { generateModel, modelNames } from "@framebatch/models/generate";
import { OPERATORS } from "../../worker/graph/operators.js";
import { UNREADABLE } from "../../worker/graph/graph-reading.js";
import { checkGenerated } from "./batch-check.js";
import { withSubject } from "../../../test/support/subject-of.js";

/** Mixing models whose graph does not prove it. Only the comparison finds them. */
const HIDDEN =
  `batch-size branch-by-size distance-of-pairs flat-softmax interleaved last-row-marked marked-from-four-rows-on
  marked-from-nine-rows-on power-of-size row-number scatter-sum share-of-size shift-by-padding turned-and-reshaped weak-scatter-sum`.split(
    /\s+/,
  );

/** Mixing models that no generated item shows: none is loud enough, or none runs alone. Only the graph proves it. */
const SILENT = ["excess-of-very-loud", "batch-norm-in-training"];

/** Returns what the graph proves, and what the comparison finds without the graph. */
function judge(name: string) {
  return withSubject(generateModel(name).bytes, async (subject) => ({
    mixing: subject.graph.mixing,
    byRow: subject.graph.byRow.size,
    ...(await checkGenerated({ ...subject, graph: UNREADABLE })),
  }));
}

function modelsOf(kind: string): string[] {
  return modelNames.filter((name) => name.startsWith(`${kind}-`));
}

beforeAll(() => {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "fatal";
});

describe("a model that mixes rows", () => {
  it("is of one of at least 80 kinds", () => {
    const kinds = modelsOf("mixing").filter((name) => !name.endsWith("-fixed-1"));
    expect(kinds.length).toBeGreaterThanOrEqual(80);
  });

  it.each(modelsOf("mixing"))("%s is found by comparison, and by its graph if that proves it", async (name) => {
    const { mixing, byRow, outcome } = await judge(name);
    const recipe = name.replace(/^mixing-|-fixed-1$/g, "");
    expect(byRow).toBe(recipe === "one-output-of-many" ? 2 : 0);
    expect(outcome === "failed").toBe(!SILENT.includes(recipe));
    expect(mixing === null).toBe(HIDDEN.includes(recipe));
  });
});

describe("a model with independent rows", () => {
  it.each(modelsOf("separate"))("%s passes, and its graph proves no mixing", async (name) => {
    expect(await judge(name)).toMatchObject({ mixing: null, outcome: "passed" });
  });
});

describe("defect 2: peak normalisation of 16,000 samples", () => {
  it.each(["mixing-peak-of-batch", "mixing-peak-of-batch-fixed-1"])("fails over the batch: %s", async (name) => {
    const finding = await withSubject(generateModel(name).bytes, (subject) => checkGenerated(subject));
    const reason = 'the model works across the batch: ReduceMax "ReduceMax_1"';
    expect(finding).toEqual({ outcome: "failed", reason, isMixing: true });
  });

  it.each(["separate-peak-of-row", "separate-peak-of-row-fixed-1"])("passes within the row: %s", async (name) => {
    const finding = await withSubject(generateModel(name).bytes, (subject) => checkGenerated(subject));
    expect(finding.outcome).toBe("passed");
  });
});

const page = readFileSync(new URL("../../../../../docs/checking-batches.md", import.meta.url), "utf8");

it("docs/checking-batches.md describes each class of operators", () => {
  expect(Object.keys(OPERATORS).filter((name) => !page.includes(`| \`${name}\` `))).toEqual([]);
});

it("docs/checking-batches.md counts the models that there are", () => {
  const count = (kind: string, isFixed: boolean) =>
    modelsOf(kind).filter((name) => name.endsWith("-fixed-1") === isFixed).length;
  expect(page).toMatch(new RegExp(`mix rows, of any batch +\\| ${count("mixing", false)} `));
  expect(page).toMatch(new RegExp(`mix rows, fixed at one item +\\| ${count("mixing", true)} `));
  expect(page).toMatch(new RegExp(`keep rows apart, any batch +\\| ${count("separate", false)} `));
  expect(page).toMatch(new RegExp(`keep rows apart, fixed at one +\\| ${count("separate", true)} `));
  expect(page).toContain(`${count("mixing", false) - HIDDEN.length} of the ${count("mixing", false)} recipes`);
});
