import process from "node:process";
import type { Page } from "@playwright/test";
import type { RemoteMode } from "framebatch";
import type { Served } from "../fixtures/offered-load.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { startSleepingServer } from "../support/sites/sleeping-server.js";
import { expect, LONG, test } from "../support/test.js";

const MODES = ["only-on-device", "prefer-on-device", "prefer-in-cloud"] as const satisfies RemoteMode[];
/** How often requests come, in multiples of what the device can answer. */
const LOADS = [1.3, 2];
const OBJECTIVE_MS = 200;
/** Slices of each mode and load. */
const ROUNDS = Number(process.env["FRAMEBATCH_ROUNDS"] ?? 3);
const SLICE_MS = 4000;
const NETWORK_MS = 60;
/** How much faster than the device the server runs a row. */
const SERVER_SPEED = 4;
/** With so many tokens, text-encoder takes about 10 ms for an item, also in a batch. */
const TOKENS = 128;

/** Overloads the models of a page. */
interface Bench {
  /** Requests that the device answers in a millisecond. */
  capacity(): Promise<number>;
  open(url: string): Promise<void>;
  slice(mode: string, ratePerMs: number, seed: number): Promise<Served>;
}

declare global {
  interface Window {
    bench: Bench;
  }
}

test("under overload, a server lets more requests be answered in time", { tag: LONG }, async ({ harness }) => {
  const server = await startSleepingServer();
  try {
    await prepare(harness);
    const ratePerMs = await harness.evaluate(() => window.bench.capacity());
    server.times = { networkMs: NETWORK_MS, rowMs: 1 / ratePerMs / SERVER_SPEED };
    await harness.evaluate((url) => window.bench.open(url), server.url);
    // Until then, the models know the run times of the warm-up only.
    for (const mode of MODES)
      await harness.evaluate((slice) => window.bench.slice(...slice), [mode, ratePerMs, 0] as const);
    const slices: Slice[] = [];
    for (const { load, mode, seed } of turns()) {
      const asked = [mode, load * ratePerMs, seed] as const;
      slices.push({ load, mode, ...(await harness.evaluate((slice) => window.bench.slice(...slice), asked)) });
    }
    const description = JSON.stringify({ perSecond: Math.round(1000 * ratePerMs), slices });
    test.info().annotations.push({ type: "answered in time", description });
    const share = (load: number, mode: string) => {
      const own = slices.filter((slice) => slice.load === load && slice.mode === mode);
      return sum(own.map(({ inTime }) => inTime)) / sum(own.map((slice) => slice.offered));
    };
    for (const load of LOADS)
      for (const mode of ["prefer-on-device", "prefer-in-cloud"])
        expect(share(load, mode)).toBeGreaterThan(share(load, "only-on-device"));
  } finally {
    server.close();
  }
});

interface Slice extends Served {
  readonly load: number;
  readonly mode: string;
}

/** Every mode with every load, again and again, so that a machine that is slow for a while is slow for all. */
function turns() {
  const seeds = Array.from({ length: ROUNDS }, (_, round) => round + 1);
  return seeds.flatMap((seed) => LOADS.flatMap((load) => MODES.map((mode) => ({ load, mode, seed }))));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Puts the bench into a page. */
function prepare(page: Page): Promise<void> {
  return page.evaluate(
    ([source, modes, tokens, limitMs, durationMs]) => {
      const { createBatchedModel, offered } = window.harness;
      type Opened = Awaited<ReturnType<typeof createBatchedModel>>;
      const models = new Map<string, Pick<Opened, "predict" | "predictMany">>();
      const options = { executionProviders: ["wasm"] } as const;
      const dims = [tokens];
      const item = {
        ids: { data: BigInt64Array.from({ length: tokens }, (_, index) => BigInt(index)), dims },
        mask: { data: new BigInt64Array(tokens).fill(1n), dims },
      };
      const many = Array.from({ length: 64 }, () => item);
      window.bench = {
        async capacity() {
          const model = await createBatchedModel(source, options);
          await model.predictMany(many);
          const startedAtMs = performance.now();
          for (let round = 0; round < 4; round += 1) await model.predictMany(many);
          const ratePerMs = (4 * many.length) / (performance.now() - startedAtMs);
          await model.dispose();
          return ratePerMs;
        },
        async open(url) {
          for (const mode of modes) {
            const remote = { url, model: "text-encoder", mode, instances: 4 };
            const model = await createBatchedModel(source, { ...options, maxLatencyMs: limitMs, remote });
            models.set(mode, model);
            const sides = mode === "only-on-device" ? 1 : 2;
            while (Object.keys(model.stats().models).length < sides) await model.predict(item);
          }
        },
        slice: (mode, ratePerMs, seed) => offered(models.get(mode)!, item, { ratePerMs, durationMs, limitMs, seed }),
      };
    },
    [MODEL_PATHS["text-encoder"], MODES, TOKENS, OBJECTIVE_MS, SLICE_MS] as const,
  );
}
