import { expect, test, type Page } from "@playwright/test";
import { LONG } from "../support/test.js";
import { Lab, MODEL_URLS } from "../soak/kit/lab.js";
import { LeakMeter } from "../soak/kit/leak-meter.js";
import { LEAK_LIMITS, leakSigns, type Checkpoint } from "../soak/kit/leak-trend.js";
import { Random } from "../soak/kit/random.js";
import { Siege } from "../soak/kit/siege.js";
import { tryOut } from "../soak/main.js";
import type { Plant } from "../soak/page/plants.js";
import { PROMISES } from "../soak/promises/all.js";

const SEED = 1;
/** These promises only run other browser tests: download-faults.spec.ts and cache-faults.spec.ts. */
const ASKED_BY_OTHER_TESTS = new Set(["P8", "P9"]);

for (const promise of PROMISES.filter(({ id }) => !ASKED_BY_OTHER_TESTS.has(id))) {
  // Tagged @long, because each fault also has its own browser test.
  test(`short soak: ${promise.id}, ${promise.title}`, { tag: LONG }, async ({ launchOptions }) => {
    await inLab(launchOptions.executablePath, async (lab) => {
      const verdict = await tryOut(promise, { lab, effort: "short", seed: SEED, random: new Random(SEED) });
      expect(verdict.breaches).toEqual([]);
    });
  });
}

const EVERY = 100;
const REQUESTS = 2000;
const FLAGGED = REQUESTS / EVERY;
const PLANTED: readonly [Plant["bug"], Record<string, number>][] = [
  ["wrong row", { wrong: FLAGGED - 1, lost: 0, duplicated: 0 }],
  ["one bit", { wrong: FLAGGED, lost: 0, duplicated: 0 }],
  ["lost", { wrong: 0, lost: FLAGGED, duplicated: 0 }],
  ["duplicated", { wrong: 0, lost: 0, duplicated: FLAGGED }],
];

test(
  "the soak detects each planted bug: a wrong row, a wrong bit, a lost request, a second answer",
  { tag: LONG },
  async ({ launchOptions }) => {
    await inLab(launchOptions.executablePath, async (lab) => {
      const page = await lab.openPage();
      for (const [bug, seen] of PLANTED)
        expect(await accountWith(page, { bug, every: EVERY }), bug).toMatchObject(seen);
    });
  },
);

const WARM_UP = 300_000;
const STEP = 100_000;
const STEPS = 3;
/** Without optimization: with few requests, the memory that the engine uses to optimize its code would hide a leak. */
const UNOPTIMISED = { flags: ["--js-flags=--no-opt --no-maglev"] };
/** The least growth that the planted leak causes. With few requests, the growth without a leak is half as much. */
const LIMITS = { ...LEAK_LIMITS, bytesPerRequest: 16 / EVERY };

test(
  "the soak detects a planted leak of 16 bytes in a hundred requests, and none before it",
  { tag: LONG },
  async ({ launchOptions }) => {
    await inLab(launchOptions.executablePath, async (lab) => {
      const page = await lab.openPage(UNOPTIMISED);
      const meter = await LeakMeter.attach(page);
      const { subject } = await laid(page, { bug: "leak", every: EVERY, after: WARM_UP + STEPS * STEP });
      const run = (requests: number) => subject.evaluate((it, count) => it.load.run(count, 1000), requests);
      const watch = async (from: number) => {
        const checkpoints: Checkpoint[] = [await meter.read(from)];
        for (let step = 1; step <= STEPS; step += 1) {
          await run(STEP);
          checkpoints.push(await meter.read(from + step * STEP));
        }
        return leakSigns(checkpoints, LIMITS);
      };
      await run(WARM_UP);
      expect(await watch(WARM_UP)).toEqual([]);
      expect(await watch(WARM_UP + STEPS * STEP)).toEqual([
        expect.stringMatching(/^expected at most .* B kept per request/),
      ]);
    });
  },
);

async function accountWith(page: Page, plant: Plant) {
  const siege = await laid(page, plant);
  await siege.burst(REQUESTS);
  await siege.until("all answers except the planted losses", ({ open }) => open <= FLAGGED);
  return siege.subject.evaluate((it, limitMs) => it.end(limitMs), 500);
}

function laid(page: Page, plant: Plant): Promise<Siege> {
  const url = MODEL_URLS["mlp-tiny"];
  return Siege.lay(page, { model: "mlp-tiny", url, providers: ["wasm"], inputs: 4093, seed: SEED, plant });
}

async function inLab(executablePath: string | undefined, use: (lab: Lab) => Promise<void>): Promise<void> {
  const lab = await Lab.open({ executablePath });
  try {
    await use(lab);
  } finally {
    await lab.close();
  }
}
