import type { BurstTimes, Load, LoadOutcome, LoadRun } from "./load.js";

/** Before each burst the page rests for a while, of random length so that bursts come at any moment of a frame, in milliseconds. */
const PAUSE = { leastMs: 8, mostMs: 24 };

/** In a shorter slice there would be too few bursts of a fast model, in milliseconds. */
const LEAST_SLICE_MS = 120;

/** A page that is at rest, asks for `size` predictions at once, and asks for no more until it has them all. */
export function isolatedBursts(size: number): Load {
  return {
    name: `isolated-${size}`,
    callers: size,
    leastRounds: 1,
    leastSliceMs: LEAST_SLICE_MS,
    needsCapacity: false,
    drive: (run) => driveBursts(run, size),
  };
}

async function driveBursts(run: LoadRun, size: number): Promise<LoadOutcome> {
  const startMs = performance.now();
  const bursts: BurstTimes[] = [];
  do {
    await pause(run);
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

/** The moment of an answer is that at which its caller goes on. */
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

function pause({ random }: LoadRun): Promise<void> {
  const pauseMs = PAUSE.leastMs + (PAUSE.mostMs - PAUSE.leastMs) * random();
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
