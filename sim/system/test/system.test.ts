import { createHash } from "node:crypto";
import process from "node:process";
import { expect, test } from "vitest";
import type { Threads } from "../src/browser/threads.js";
import { examine } from "../src/examine.js";
import { drawScenario } from "../src/draw/draw.js";
import type { Scenario } from "../src/scenario/scenario.js";
import { bundleHalves } from "../build.mjs";
import { threadsOf } from "./threads.js";

const isComplete = process.env["FRAMEBATCH_ALL"] !== undefined;

const SEEDS = isComplete ? 120 : 40;
const SEEDS_OF_PIPELINES = isComplete ? 1000 : 30;
/** Enough to find a planted bug, whatever the code around it decides. */
const SEEDS_FOR_PLANTED = 1000;

const threads = await threadsOf();

/** Returns the first seed whose scenario breaks a rule, with the rules; `null` if none does. */
async function firstBroken(
  used: Threads,
  seeds = SEEDS,
  about?: string,
): Promise<{ seed: number; rules: string[] } | null> {
  for (let seed = 1; seed <= seeds; seed++) {
    const { violations } = await examine(drawScenario(seed, about), used);
    if (violations.length > 0) return { seed, rules: violations.map(({ rule, what }) => `${rule}: ${what}`) };
  }
  return null;
}

test("the working tree keeps every promise in the first scenarios", async () => {
  expect(await firstBroken(threads)).toBeNull();
});

test("the working tree keeps every promise in scenarios of pipelines", async () => {
  expect(await firstBroken(threads, SEEDS_OF_PIPELINES, "pipelines")).toBeNull();
});

/** Number of scenarios that no run of other code has seen. A number, not a time: a slow machine examines as many as a fast one. */
const NEW_SCENARIOS = isComplete ? 2000 : 150;

/** Returns their first seed: the simulated code decides, so that the same code passes or fails on every machine. */
async function firstNewSeed(): Promise<number> {
  const { page, worker } = await bundleHalves();
  const digest = createHash("sha256").update(page).update(worker).digest();
  return 1_000_000_000 + digest.readUInt32BE();
}

test("the working tree keeps every promise in new scenarios of models", async () => {
  const broken: string[] = [];
  const first = await firstNewSeed();
  for (let seed = first; seed < first + NEW_SCENARIOS && broken.length === 0; seed++) {
    const scenario = drawScenario(seed);
    if (scenario.subjects.some(({ kind }) => kind !== "model")) continue;
    const { violations } = await examine(scenario, threads);
    broken.push(...violations.map(({ rule, what }) => `seed ${seed}, ${rule}: ${what}`));
  }
  expect(broken).toEqual([]);
});

test("the same seed does the same, also in threads that other scenarios have used", async () => {
  const fresh = await threadsOf();
  const scenarios = [1, 5, 17, 23, 42].map((seed) => drawScenario(seed));
  for (const scenario of [...scenarios, drawScenario(1, "texts")]) {
    const [used, unused] = [await examine(scenario, threads), await examine(scenario, fresh)];
    expect(used.digest).toBe(unused.digest);
    expect(used.tasks).toBe(unused.tasks);
  }
});

test("a model on webgpu has its states on the simulated GPU", async () => {
  const options = { executionProviders: ["webgpu", "wasm"], verify: false, warmup: false };
  const steps = [1, 2, 3, 4, 5, 6].map((id) => {
    return { atMs: 80 + 20 * id, do: "predict", subject: 0, part: 0, call: id, items: [{ id }], options: {} } as const;
  });
  const scenario: Scenario = {
    seed: 1,
    baseMs: 1,
    rowMs: 0.01,
    pages: 1,
    subjects: [{ kind: "sequences", page: 0, model: "rnn", options, sequences: [{}] }],
    steps: [{ atMs: 0, do: "open", subject: 0 }, ...steps],
    faults: [],
  };
  const leak = {
    file: "framebatch/src/sequences/worker/sequence-states.ts",
    from: "if (isOnDevice(row)) row.release();",
    to: "void row;",
  };
  expect((await examine(scenario, threads)).violations).toEqual([]);
  const { violations } = await examine(scenario, await threadsOf(leak));
  expect(violations).toEqual([{ rule: "kept", what: "6 buffers on the GPU for 1 sequences" }]);
});

/** The last one is found soonest. */
const PLANTED = [
  {
    rule: "settles",
    change: {
      file: "framebatch/src/client/workers/pending-runs.ts",
      from: "if (silentMs >= timeoutMs) onHung(timeoutMs, this.#hung);",
      to: "if (silentMs >= timeoutMs * 1e9) onHung(timeoutMs, this.#hung);",
    },
  },
  {
    rule: "errors",
    change: {
      file: "framebatch/src/client/workers/worker-slot.ts",
      from: "if (session.client.interrupted !== run || !(error instanceof FramebatchError)) continue;",
      to: "if (!(error instanceof FramebatchError)) continue;",
    },
  },
  {
    rule: "endurance",
    change: {
      file: "framebatch/src/client/workers/crash-history.ts",
      from: "const MAX_CRASHES = 8;",
      to: "const MAX_CRASHES = 0;",
    },
  },
] as const;

test.each(isComplete ? PLANTED : PLANTED.slice(-1))(
  "a planted bug in $change.file breaks the rule $rule",
  async ({ rule, change }) => {
    const found = await firstBroken(await threadsOf(change), SEEDS_FOR_PLANTED);
    expect(found?.rules.join() ?? "nothing").toContain(`${rule}: `);
  },
);
