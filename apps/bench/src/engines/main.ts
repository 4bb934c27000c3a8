import { median, quantileOfSorted } from "../statistics/quantile.js";
import { seededRandom, type Random } from "../statistics/random.js";
import { Interactions } from "./interactions.js";
import { type EngineLane, type EngineLaneName, openLane } from "./lanes.js";

/** What one page has measured with one number of callers. Times in milliseconds. */
export interface EngineSlice {
  readonly callers: number;
  readonly answersPerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly reactionP50Ms: number;
  readonly reactionP95Ms: number;
}

const WORDS = "the old train station was late and my cat sat on a small red mat with soup bread snow house".split(" ");

let lane: EngineLane | null = null;

const page = {
  /** Opens a lane and asks it once. Returns the time of the load and of the first answer, in milliseconds. */
  async open(name: EngineLaneName): Promise<number> {
    const startedAtMs = performance.now();
    lane = await openLane(name);
    await lane.ask("the first text");
    return performance.now() - startedAtMs;
  },

  /** Measures a closed loop: each caller asks again as soon as it has its answer. */
  async measure(callers: number, ms: number, seed: number): Promise<EngineSlice> {
    if (lane === null) throw new Error("Expected an open lane first.");
    const { ask } = lane;
    await loop(ask, callers, ms / 4, seed);
    const interactions = new Interactions();
    await interactions.hasBegun;
    const startedAtMs = performance.now();
    const latenciesMs = await loop(ask, callers, ms, seed + 1);
    const seconds = (performance.now() - startedAtMs) / 1000;
    const reactionsMs = await interactions.stop();
    return {
      callers,
      answersPerSecond: latenciesMs.length / seconds,
      p50Ms: median(latenciesMs),
      p95Ms: p95(latenciesMs),
      reactionP50Ms: median(reactionsMs),
      reactionP95Ms: p95(reactionsMs),
    };
  },
};

async function loop(ask: EngineLane["ask"], callers: number, ms: number, seed: number): Promise<readonly number[]> {
  const random = seededRandom(seed);
  const endMs = performance.now() + ms;
  const latenciesMs: number[] = [];
  const call = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const startedAtMs = performance.now();
      await ask(textOf(random));
      latenciesMs.push(performance.now() - startedAtMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return latenciesMs;
}

/** A text of 3 to 16 words. */
function textOf(random: Random): string {
  const length = 3 + Math.floor(random() * 14);
  return Array.from({ length }, () => WORDS[Math.floor(random() * WORDS.length)]).join(" ");
}

function p95(values: readonly number[]): number {
  return quantileOfSorted(Float64Array.from(values).sort(), 0.95);
}

declare global {
  interface Window {
    engines: typeof page;
  }
}

window.engines = page;
