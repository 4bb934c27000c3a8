import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import type { ModelOptions } from "framebatch";
import type { KindAnswers, Refused } from "../fixtures/asked-kind.js";
import type { PlainItem, PlainOutputs } from "../fixtures/both-ways.js";
import type { TestedProvider } from "./tested-provider.js";
import { expect, IS_COMPLETE, test } from "./test.js";

/** As a share of the largest number of an output. */
const TOLERANCE = 1e-4;

/** A row of zoo.json, which models/zoo/zoo.py writes. */
interface Kind {
  readonly name: string;
  readonly exporter: string;
  readonly what: string;
  readonly file: string;
  readonly items: readonly PlainItem[];
  /** The answers of Python's onnxruntime to each item alone. */
  readonly answers: readonly PlainOutputs[];
  readonly options?: Pick<ModelOptions, "batchAxis" | "outputs">;
  /** Files with weights beside the model. */
  readonly beside?: readonly string[];
  /** Whether items share runs; left out where it depends on the provider. */
  readonly batches?: boolean;
  /** What the error says, in this order, of a file that no option loads as it is. */
  readonly refused?: readonly string[];
  readonly tolerance?: number;
}

/** Opens every kind of a folder that the site serves, asks for its items in each way, and expects its answers. */
export async function expectZoo(harness: Page, provider: TestedProvider, folder: string, address: string) {
  const kinds: Kind[] = JSON.parse(readFileSync(path.join(folder, "zoo.json"), "utf8"));
  expect(kinds.length).toBeGreaterThan(40);
  for (const kind of kinds) {
    await test.step(`${kind.name} (${kind.exporter}): ${kind.what}`, async () => {
      const { file, items, beside = [], batches = false, options } = kind;
      const externalData = beside.map((name) => ({ path: name, source: `${address}${name}` }));
      const request = {
        url: `${address}${file}`,
        items,
        batches,
        isGrouped: !IS_COMPLETE,
        options: {
          executionProviders: provider === "webgpu" ? (["webgpu", "wasm"] as const) : (["wasm"] as const),
          maxBatchSize: 16,
          cache: false,
          warmup: false,
          batching: { release: "idle" } as const,
          verify: { budgetMs: 600_000 },
          runTimeoutMs: 600_000,
          ...(beside.length > 0 && { externalData }),
          ...options,
        },
      };
      const outcome = await harness.evaluate((sent) => window.harness.askKind(sent), request);
      if (kind.refused !== undefined) expectRefused(kind.refused, outcome, kind.name);
      else expectAnswers(kind, outcome);
    });
  }
}

function expectRefused(words: readonly string[], outcome: KindAnswers | Refused, name: string): void {
  const message = "message" in outcome ? outcome.message : "it loads";
  expect.soft(message, name).toMatch(new RegExp(words.join("[^]*"), "i"));
}

function expectAnswers(
  { name, answers, batches = false, tolerance = TOLERANCE }: Kind,
  outcome: KindAnswers | Refused,
) {
  expect.soft(outcome, name).not.toHaveProperty("message");
  if ("message" in outcome) return;
  for (const { how, outputs } of outcome.rounds) {
    const wrong = outputs.flatMap((own, index) => differences(own, answers[index] ?? {}, tolerance));
    expect.soft(wrong, `${name}, ${how}, ${outcome.check}`).toEqual([]);
  }
  if (batches === undefined) return;
  const size = outcome.largestBatch > 1 ? "shared" : "alone";
  expect.soft(size, `${name}, ${outcome.check}`).toBe(batches ? "shared" : "alone");
}

/** Describes how outputs differ from the right ones. */
function differences(own: PlainOutputs, right: PlainOutputs, tolerance: number): string[] {
  const names = (outputs: PlainOutputs) => Object.keys(outputs).toSorted().join();
  if (names(own) !== names(right)) return [`outputs ${names(own)} for ${names(right)}`];
  return Object.entries(right).flatMap(([name, { type, dims, values }]) => {
    const got = own[name]!;
    if (got.type !== type || got.dims.join() !== dims.join()) {
      return [`${name}: ${got.type} [${got.dims.join()}] for ${type} [${dims.join()}]`];
    }
    const scale = Math.max(1, ...values.map((value) => Math.abs(Number(value)) || 0));
    const at = values.findIndex((value, index) => !isClose(got.values[index], value, tolerance * scale));
    return at < 0 ? [] : [`${name}[${at}]: ${got.values[at]} for ${values[at]}`];
  });
}

function isClose(got: number | string | undefined, right: number | string, limit: number): boolean {
  return got === right || Math.abs(Number(got) - Number(right)) <= limit;
}
