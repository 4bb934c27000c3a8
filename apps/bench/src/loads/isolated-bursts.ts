import type { BurstTimes, Load, LoadOutcome, LoadRun } from "./load.js";
import { pause } from "./pause.js";

/** Minimum slice length, in ms. A shorter slice would contain too few bursts of a fast model. */
const MIN_SLICE_MS = 120;

/** Sends `size` requests at once on an idle page, waits for all answers, pauses, and repeats. */
export function isolatedBursts(size: number): Load {
  return {
    name: `isolated-${size}`,
    callers: size,
    leastRounds: 1,
    leastSliceMs: MIN_SLICE_MS,
    needsCapacity: false,
    drive: (run) => driveBursts(run, size),
  };
}

async function driveBursts(run: LoadRun, size: number): Promise<LoadOutcome> {
  const startMs = performance.now();
  const bursts: BurstTimes[] = [];
  do {
    await pause(run.random);
    bursts.push(await askAtOnce(run, size, bursts.length * size));
  } while (performance.now() - startMs < run.times.sliceMs);
  run.onEnd();
  return {
    answered: bursts.length * size,
    answeredLate: 0,
    elapsedMs: bursts.reduce((sum, { lastMs }) => sum + lastMs, 0),
    bursts,
    openAgesMs: [],
    withdrawn: 0,
    isLowerBound: false,
  };
}

/** The time of an answer is the time at which its caller resumes. */
async function askAtOnce({ lane, items, samples }: LoadRun, size: number, firstItem: number): Promise<BurstTimes> {
  const calledMs = performance.now();
  let [firstMs, lastMs] = [Number.NaN, Number.NaN];
  const ask = async (place: number): Promise<void> => {
    await lane.predict(items[place % items.length] ?? {});
    const nowMs = performance.now();
    samples.record(calledMs, nowMs, false);
    lastMs = nowMs - calledMs;
    if (Number.isNaN(firstMs)) firstMs = lastMs;
  };
  await Promise.all(Array.from({ length: size }, (_, place) => ask(firstItem + place)));
  return { firstMs, lastMs };
}
