import { seededRandom } from "../statistics/random.js";
import { type GroupLaneName, openLane } from "./lanes.js";
import { HEARD_SAMPLES, Listener } from "./listener.js";

/** What several streams have heard. */
export interface Heard {
  readonly ms: number;
  /** The sum of all scores: lanes must agree on it. */
  readonly sum: number;
}

let listeners: readonly Listener[] = [];

const page = {
  async open(name: GroupLaneName, streams: number): Promise<void> {
    const lane = await openLane(name, streams);
    listeners = Array.from({ length: streams }, (_, stream) => new Listener(stream, lane));
  },

  /** Lets each stream hear so many parts of 160 ms, one after the other. */
  async hear(parts: number, seed: number): Promise<Heard> {
    const startedAtMs = performance.now();
    const sums = await Promise.all(listeners.map((listener, stream) => hearAll(listener, parts, seed + stream)));
    return { ms: performance.now() - startedAtMs, sum: sums.reduce((total, sum) => total + sum, 0) };
  },
};

async function hearAll(listener: Listener, parts: number, seed: number): Promise<number> {
  const random = seededRandom(seed);
  let sum = 0;
  for (let part = 0; part < parts; part++) {
    sum += await listener.hear(Float32Array.from({ length: HEARD_SAMPLES }, () => random() - 0.5));
  }
  return sum;
}

declare global {
  interface Window {
    groups: typeof page;
  }
}

window.groups = page;
