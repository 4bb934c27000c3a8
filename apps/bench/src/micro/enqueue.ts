import { batched } from "framebatch";
import { nextFrame } from "../measure/frame-recorder.js";
import type { MicroRow } from "../results.js";
import { medianWithInterval } from "../statistics/bootstrap.js";
import type { Random } from "../statistics/random.js";

const BURSTS = [256, 1024, 4096] as const;
const WARM_UPS = 10;
const REPEATS = 40;

/**
 * From the first call of a burst made in one task to the moment at which `runBatch` has all of it, and to the moment at
 * which the last caller has its result, for each request. Nothing else runs on the main thread meanwhile, so the time that passes is
 * the time that it costs, and one turn of the event loop.
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
    { name: "enqueue", burst, usPerRequest: medianWithInterval(dispatchUs, random), samples: dispatchUs.length },
    { name: "round-trip", burst, usPerRequest: medianWithInterval(roundTripUs, random), samples: roundTripUs.length },
  ];
}
