import { quantileOfSorted } from "../statistics/quantile.js";
import { seededRandom } from "../statistics/random.js";
import { askLive, STEP_MS } from "./live.js";
import { openLane, STEP_SAMPLES, type StreamLane, type StreamLaneName } from "./lanes.js";

/** What one page has measured with one number of streams. Times in milliseconds. */
export interface StreamSlice {
  readonly streams: number;
  /** Each stream asks for its next step when it has the answer to the last one. */
  readonly stepsPerSecond: number;
  readonly meanBatch: number;
  /** Each stream asks for a step every 32 ms, as live audio does. Latencies count from the time at which a step is due. */
  readonly liveP50Ms: number;
  readonly liveP99Ms: number;
  /** The share of the steps of live streams that were answered before the next one of their stream was due. */
  readonly liveShare: number;
}

let lane: StreamLane | null = null;

const page = {
  /** Opens a lane, and asks for a step of each stream. */
  async open(name: StreamLaneName, streams: number): Promise<void> {
    lane = await openLane(name, streams);
    const { step } = lane;
    await Promise.all(Array.from({ length: streams }, (_, stream) => step(stream, new Float32Array(STEP_SAMPLES))));
  },

  async measure(streams: number, ms: number, seed: number): Promise<StreamSlice> {
    if (lane === null) throw new Error("Expected an open lane first.");
    const { step, meanBatch } = lane;
    await askInTurn(step, streams, ms / 4, seed);
    meanBatch();
    const startedAtMs = performance.now();
    const steps = await askInTurn(step, streams, ms, seed + 1);
    const seconds = (performance.now() - startedAtMs) / 1000;
    const rows = meanBatch();
    const all = Array.from({ length: streams }, (_, stream) => samplesOf(seed + 2 + stream));
    const wanted = { streams, ms, seed: seed + 2 };
    const sorted = Float64Array.from(await askLive((stream) => step(stream, all[stream]!), wanted)).sort();
    return {
      streams,
      stepsPerSecond: steps / seconds,
      meanBatch: rows,
      liveP50Ms: quantileOfSorted(sorted, 0.5),
      liveP99Ms: quantileOfSorted(sorted, 0.99),
      liveShare: sorted.filter((latencyMs) => latencyMs <= STEP_MS).length / sorted.length,
    };
  },
};

/** Returns the number of steps within `ms`. */
async function askInTurn(step: StreamLane["step"], streams: number, ms: number, seed: number): Promise<number> {
  const endMs = performance.now() + ms;
  let steps = 0;
  const run = async (stream: number): Promise<void> => {
    const samples = samplesOf(seed + stream);
    while (performance.now() < endMs) {
      await step(stream, samples);
      steps += 1;
    }
  };
  await Promise.all(Array.from({ length: streams }, (_, stream) => run(stream)));
  return steps;
}

function samplesOf(seed: number): Float32Array<ArrayBuffer> {
  const random = seededRandom(seed);
  return Float32Array.from({ length: STEP_SAMPLES }, () => random() - 0.5);
}

declare global {
  interface Window {
    streams: typeof page;
  }
}

window.streams = page;
