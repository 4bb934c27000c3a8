import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkBatchedOptions } from "@framebatch/batcher/functions/batched-function.js";
import { checkPredictOptions } from "@framebatch/batcher/options/predict-options.js";
import { planChecks } from "@framebatch/rows/collate/input-range.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import { createHub } from "../../hub/page/create-hub.js";
import { checkBatchedWorkerOptions } from "../../handlers/page/batched-worker-options.js";
import { checkGenerateOptions } from "./generation.js";
import { checkGroupOptions } from "../../groups/page/group-checks.js";
import { checkHybridOptions } from "../../servers/page/hybrid-options.js";
import { checkModelOptions } from "./model-options.js";
import { checkRemoteModelOptions } from "../../servers/page/remote-model-options.js";
import { checkSequenceOptions } from "../../sequences/sequence-options.js";

const SIGNATURE = resolveSignature([{ name: "x", type: "float32", shape: ["batch", "n"] }], []);

type Give = (value: number) => unknown;

const model = (name: string) => (value: number) => checkModelOptions({ [name]: value });
const batched = (name: string) => (value: number) => checkBatchedOptions({ [name]: value });
const server = (name: string) => (value: number) => checkRemoteModelOptions({ model: "x", [name]: value });
const group = (name: string) => (value: number) => checkGroupOptions({ [name]: value });
const sequence = (name: string) => (value: number) => checkSequenceOptions({ [name]: value });
const generation = (name: string) => (value: number) => checkGenerateOptions({ [name]: value });
const sample = (name: string) => (value: number) => checkGenerateOptions({ sample: { [name]: value } });
const hybrid = (name: string) => (value: number) =>
  checkHybridOptions({ remote: { url: "https://inference.example", model: "x", [name]: value } });
const padding = (name: string, asGiven: (value: number) => unknown) => (value: number) =>
  planPadding(SIGNATURE, { x: { [name]: asGiven(value) } });
const range = (name: string) => (value: number) => planChecks(SIGNATURE.inputs, { x: { [name]: value } });
const both = (name: string) => [model(name), batched(name)];

/** Gives a number to each option that takes one, by its name in docs/options.md. */
const OPTIONS: Readonly<Record<string, readonly Give[]>> = {
  maxBatchSize: both("maxBatchSize"),
  allowedBatchSizes: [(value) => checkBatchedOptions({ allowedBatchSizes: [1, value] })],
  maxQueueDelayMs: both("maxQueueDelayMs"),
  maxLatencyMs: both("maxLatencyMs"),
  maxQueueSize: [...both("maxQueueSize"), sequence("maxQueueSize")],
  resultCacheSize: both("resultCacheSize"),
  buckets: [padding("buckets", (value) => [1, value])],
  multipleOf: [padding("multipleOf", (value) => value)],
  "min, max": [range("min"), range("max")],
  idleMs: [sequence("idleMs")],
  maxWaitMs: [(maxWaitMs) => checkSequenceOptions({ overflow: "drop-oldest", maxWaitMs })],
  snapshotEvery: [sequence("snapshotEvery")],
  agreement: ["relative", "absolute"].map((name) => (value) => checkModelOptions({ agreement: { [name]: value } })),
  numThreads: [model("numThreads"), group("numThreads")],
  instances: [model("instances"), server("instances"), (value) => checkBatchedWorkerOptions({ instances: value })],
  runTimeoutMs: [model("runTimeoutMs"), server("runTimeoutMs"), group("runTimeoutMs")],
  verify: [(budgetMs) => checkModelOptions({ verify: { budgetMs } })],
  maxModelBytes: [model("maxModelBytes")],
  stallTimeoutMs: [model("stallTimeoutMs")],
  timeoutMs: [(timeoutMs) => checkPredictOptions({ timeoutMs })],
  maxKeptBytes: [group("maxKeptBytes")],
  maxMemoryBytes: [group("maxMemoryBytes")],
  maxResponseBytes: [server("maxResponseBytes")],
  maxCacheBytes: [(maxCacheBytes) => checkModelOptions({ generate: { maxCacheBytes } })],
  maxNewTokens: [generation("maxNewTokens")],
  repetitionPenalty: [generation("repetitionPenalty")],
  "sample.temperature": [sample("temperature")],
  "sample.topK": [sample("topK")],
  "sample.topP": [sample("topP")],
  "sample.seed": [sample("seed")],
  "remote.maxBatchSize": [hybrid("maxBatchSize")],
  "remote.runTimeoutMs": [hybrid("runTimeoutMs")],
  "remote.instances": [hybrid("instances")],
};

/** Those that the tables there do not list by a number. */
const OTHERS: Readonly<Record<string, readonly Give[]>> = {
  tolerance: [(tolerance) => checkBatchedWorkerOptions({ verify: { tolerance }, samples: [1, 2] })],
  memoryBudgetBytes: [
    (memoryBudgetBytes) => createHub(() => Promise.reject(new Error("unused")), { memoryBudgetBytes }),
  ],
};

/** For these, the documentation names Infinity. */
const ENDLESS: readonly string[] = ["verify", "min, max"];

const cases = Object.entries({ ...OPTIONS, ...OTHERS }).flatMap(([name, gives]) =>
  gives.map((give) => ({ name, give })),
);

const INVALID = expect.objectContaining({ code: "INVALID_OPTION" });

describe("an option that takes a number", () => {
  it("is in the tables of the documentation, and in the one of this test", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../../../docs/options.md"), "utf8");
    const rows = [...text.replaceAll(" (r)", "").matchAll(/^\| ([^|]*`[^|]+?) +\| ([^|]*) \|/gm)];
    const numbers = rows.filter(([, , type = ""]) => /integer|number\b|numbers, /.test(type));
    const names = numbers.map(([, name = ""]) => name.replaceAll("`", "").trim());
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(OPTIONS).toSorted());
  });

  it.each(cases)("refuses NaN: $name", ({ give }) => {
    expect(() => give(Number.NaN)).toThrow(INVALID);
  });

  it.each(cases.filter(({ name }) => !ENDLESS.includes(name)))("refuses Infinity: $name", ({ give }) => {
    expect(() => give(Infinity)).toThrow(INVALID);
    expect(() => give(-Infinity)).toThrow(INVALID);
  });

  it.each(cases.filter(({ name }) => ENDLESS.includes(name)))("accepts Infinity if it is named: $name", ({ give }) => {
    expect(() => give(Infinity)).not.toThrow();
  });
});
