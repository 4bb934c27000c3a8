import type { Page } from "@playwright/test";
import { atLeast, atMost, judged, NOTHING, type Findings } from "../kit/findings.js";
import { MODEL_URLS, SWIFTSHADER } from "../kit/lab.js";
import type { Attempt, Effort, SoakPromise } from "../kit/promise.js";
import { pause, Siege } from "../kit/siege.js";
import { crashGpuProcess, destroyDevices } from "../kit/worker-faults.js";
import { hookWorkers } from "../kit/worker-hook.js";

const PLANS = {
  full: { requests: 100_000, losses: 12 },
  short: { requests: 4000, losses: 2 },
} satisfies Record<Effort, object>;

/** Without these flags, a browser blocks the GPU for its pages after two crashes, and exits after six. */
const UNLIMITED_CRASHES = ["--disable-gpu-process-crash-limit", "--disable-domain-blocking-for-3d-apis"];
const LOSSES = { destroy: destroyDevices, crash: crashGpuProcess };
const CALLERS = 64;
const INPUTS = 257;
/** Every third loss happens while the model has no open requests. */
const IDLE_EVERY = 3;
const IDLE_MS = 300;
const SLOWEST_RECOVERY_MS = 4000;

/** P3: correct on a GPU that is lost repeatedly, and on WASM if the GPU does not return. */
export const P3: SoakPromise = {
  id: "P3",
  title: "correct when the GPU is lost",
  isQuiet: false,
  async test(attempt) {
    const repeated = await loseRepeatedly(attempt);
    const forGood = attempt.effort === "full" ? await loseForGood(attempt) : [];
    return { ...repeated, breaches: [...repeated.breaches, ...forGood] };
  },
};

async function loseRepeatedly({ lab, effort, seed, random }: Attempt): Promise<Findings> {
  const { requests, losses } = PLANS[effort];
  const page = await lab.openPage({ flags: [...SWIFTSHADER, ...UNLIMITED_CRASHES] }, hookWorkers);
  // WebGPU only: with WASM as a fallback, the SDK would not return to a GPU that it has lost twice.
  const siege = await layOn(page, ["webgpu"], seed);
  const kinds = random.deal(["destroy", "crash"] as const, losses);
  for (const [index, kind] of kinds.entries()) {
    const isIdle = index % IDLE_EVERY === IDLE_EVERY - 1;
    await siege.keepOn(CALLERS);
    await siege.until("answers", ({ made }) => made >= ((index + 1) / losses) * requests);
    if (isIdle) await rest(siege);
    await siege.strike(`${kind}, ${isIdle ? "idle" : "in flight"}`, async () => {
      await LOSSES[kind](page);
      if (isIdle) await pause(IDLE_MS);
      await siege.keepOn(CALLERS);
    });
  }
  const { recoverP95Ms, detectP95Ms } = await siege.times();
  const { losses: seen, ...account } = await siege.end();
  await page.context().browser()?.close();
  const found = judged(account);
  return {
    ...NOTHING,
    ...found,
    faults: losses,
    recoverP95Ms,
    figures: { detectP95Ms, losses: seen },
    breaches: [
      ...found.breaches,
      ...atLeast("requests", account.n, requests),
      ...atLeast("devices lost", seen, losses),
    ],
    slow: [...atMost("ms to recover", recoverP95Ms, SLOWEST_RECOVERY_MS)],
  };
}

/**
 * With the browser's default limit, the GPU is blocked after two crashes. The model continues on WASM, and no request
 * fails.
 */
async function loseForGood({ lab, seed }: Attempt): Promise<string[]> {
  const page = await lab.openPage({ flags: SWIFTSHADER }, hookWorkers);
  const siege = await layOn(page, ["webgpu", "wasm"], seed);
  await siege.keepOn(CALLERS);
  for (const which of ["first", "second"]) {
    await pause(1000);
    await siege.strike(`the ${which} crash`, () => crashGpuProcess(page));
  }
  const { made, provider } = await siege.progress();
  await siege.until("answers after the last crash", (now) => now.made > made + 1000);
  const account = await siege.end();
  await page.context().browser()?.close();
  return [
    ...judged(account).breaches,
    ...(provider === "wasm" ? [] : [`expected WASM after two crashes, got ${provider}`]),
  ].map((breach) => `default flags: ${breach}`);
}

function layOn(page: Page, providers: readonly ("webgpu" | "wasm")[], seed: number): Promise<Siege> {
  return Siege.lay(page, { model: "mlp-tiny", url: MODEL_URLS["mlp-tiny"], providers, inputs: INPUTS, seed });
}

async function rest(siege: Siege): Promise<void> {
  await siege.keepOn(0);
  await siege.until("rest", ({ open }) => open === 0);
}
