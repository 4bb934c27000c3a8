import type { BatchedModel, ModelStats } from "framebatch";
import { quantile } from "../kit/quantile.js";
import { FrameGaps } from "./frame-gaps.js";
import type { Subject } from "./subject.js";

const TICK_MS = 4;
/** After a delay, one tick makes at most the requests of this number of ticks. */
const MAX_TICKS_AT_ONCE = 4;
/** At most the size of the queue: a rejected caller would retry at once, in an endless loop. */
const PEAK_CALLERS = 128;

export interface OverloadFindings {
  readonly peakPerSec: number;
  readonly goodputPerSec: number;
  /** The SDK's own counts of the requests, including the probes. */
  readonly own: ModelStats["requests"];
  /** Extra requests, made while the queue is full. */
  readonly probes: number;
  readonly probesRefused: number;
  readonly refusalP99Ms: number | null;
  readonly longestQueue: number;
  readonly framesPerSec: number;
  readonly frameGapP99Ms: number | null;
  /** `null` if no task took more than 50 ms, the browser's threshold of a long task. */
  readonly longestTaskMs: number | null;
}

/** Measures the peak rate of a model, and then sends `times` as many requests per second. */
export async function overload(
  subject: Subject,
  bound: number,
  times: number,
  [peakMs, overloadMs]: readonly [number, number],
): Promise<OverloadFindings> {
  const peakPerSec = await peakOf(subject, peakMs);
  const { model, load } = subject;
  model.resetStats();
  const longTasks = new LongTasks();
  const gaps = new FrameGaps();
  const offer = new Offer(subject, bound);
  await offer.last(overloadMs, peakPerSec * times);
  const { completed } = model.stats().requests;
  const gapsMs = gaps.stop();
  await load.atRest();
  return {
    peakPerSec,
    goodputPerSec: (completed / overloadMs) * 1000,
    own: model.stats().requests,
    probes: offer.probes,
    probesRefused: offer.refusalsMs.length,
    refusalP99Ms: quantile(offer.refusalsMs, 0.99),
    longestQueue: offer.longestQueue,
    framesPerSec: (gapsMs.length / overloadMs) * 1000,
    frameGapP99Ms: quantile(gapsMs, 0.99),
    longestTaskMs: quantile(longTasks.stop(), 1),
  };
}

async function peakOf({ model, load }: Subject, ms: number): Promise<number> {
  load.keepOn(PEAK_CALLERS);
  await new Promise((resolve) => setTimeout(resolve, ms / 2));
  model.resetStats();
  await new Promise((resolve) => setTimeout(resolve, ms / 2));
  const { completed } = model.stats().requests;
  load.aim(0);
  await load.atRest();
  return (completed / (ms / 2)) * 1000;
}

/** Sends requests at a steady rate, independent of the answers. */
class Offer {
  readonly refusalsMs: number[] = [];
  probes = 0;
  longestQueue = 0;
  readonly #subject: Subject;
  readonly #bound: number;

  constructor(subject: Subject, bound: number) {
    this.#subject = subject;
    this.#bound = bound;
  }

  last(ms: number, ratePerSec: number): Promise<void> {
    return new Promise((resolve) => {
      const startMs = performance.now();
      let lastMs = startMs;
      const timer = setInterval(() => {
        const nowMs = performance.now();
        const spanMs = Math.min(nowMs - lastMs, MAX_TICKS_AT_ONCE * TICK_MS);
        this.#tick(Math.round((spanMs / 1000) * ratePerSec));
        lastMs = nowMs;
        if (nowMs - startMs < ms) return;
        clearInterval(timer);
        resolve();
      }, TICK_MS);
    });
  }

  #tick(requests: number): void {
    const { model, load, inputs } = this.#subject;
    load.burst(requests);
    const { queued } = model.stats().requests;
    this.longestQueue = Math.max(this.longestQueue, queued);
    if (queued >= this.#bound) this.#probe(model, inputs[0]);
  }

  #probe(model: BatchedModel, item: Subject["inputs"][number] | undefined): void {
    const startMs = performance.now();
    this.probes += 1;
    model.predict(item ?? []).catch(() => this.refusalsMs.push(performance.now() - startMs));
  }
}

class LongTasks {
  readonly #ms: number[] = [];
  readonly #observer = new PerformanceObserver((list) => this.#note(list));

  constructor() {
    this.#observer.observe({ type: "longtask" });
  }

  stop(): readonly number[] {
    for (const { duration } of this.#observer.takeRecords()) this.#ms.push(duration);
    this.#observer.disconnect();
    return this.#ms;
  }

  #note(list: PerformanceObserverEntryList): void {
    for (const { duration } of list.getEntries()) this.#ms.push(duration);
  }
}
