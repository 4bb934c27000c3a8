import { batched } from "framebatch";
import { nextFrame } from "../measure/frame-recorder.js";
import type { MicroRow } from "../results.js";
import { medianWithInterval } from "../statistics/bootstrap.js";
import type { Random } from "../statistics/random.js";

const BURSTS = [256, 1024, 4096] as const;
const WARM_UPS = 10;
const REPEATS = 40;

/**
 * Measures, per request, the time from the first call of a burst in one task until `runBatch` receives all of it, and
 * until the last caller has its result. The main thread does nothing else meanwhile, so the elapsed time is the cost
 * plus one turn of the event loop.
 */
export async function measureEnqueue(random: Random): Promise<MicroRow[]> {
  const rows: MicroRow[] = [];
  for (const burst of BURSTS) rows.push(...(await measureBurst(burst, random)));
  return rows;
}

async function measureBurst(burst: number, random: Random): Promise<MicroRow[]> {
  let dispatchedMs = 0;
  const ask = batched(
    (numbers: readonly number[]) => {
      dispatchedMs = performance.now();
      return Promise.resolve(numbers);
    },
    { maxBatchSize: burst, batching: { release: "idle" } },
  );
  const dispatchUs: number[] = [];
  const roundTripUs: number[] = [];
  for (let repeat = -WARM_UPS; repeat < REPEATS; repeat++) {
    await nextFrame();
    const startMs = performance.now();
    const answers: Promise<number>[] = [];
    for (let index = 0; index < burst; index++) answers.push(ask(index));
    await Promise.all(answers);
    if (repeat < 0) continue;
    dispatchUs.push(((dispatchedMs - startMs) * 1000) / burst);
    roundTripUs.push(((performance.now() - startMs) * 1000) / burst);
  }
  await ask.dispose();
  return [
    { name: "enqueue", burst, usPerRequest: medianWithInterval([dispatchUs], random), samples: dispatchUs.length },
    { name: "round-trip", burst, usPerRequest: medianWithInterval([roundTripUs], random), samples: roundTripUs.length },
  ];
}
