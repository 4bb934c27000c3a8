import type { EventLoop } from "./event-loop.js";
import type { SimRequest } from "./sim-request.js";
import { frameIndex, type VirtualFrames } from "./virtual-frames.js";

/** The measured part of a run. Covers the requests that arrive in it and the device's work in it. */
export interface MeasuredSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Counts the outcome of every request of a run. */
export class Ledger {
  open = 0;
  offered = 0;
  completed = 0;
  /** Requests answered within the objective. */
  good = 0;
  /** Answers inside the measured span, whenever their requests arrived. */
  answersInSpan = 0;
  framesSum = 0;
  framesCount = 0;
  readonly latenciesMs: number[] = [];
  readonly backgroundLatenciesMs: number[] = [];
  readonly refusalsMs: number[] = [];
  /** Time to the first answer among the requests of one task, keyed by the start of that task. */
  readonly firstAnswersMs = new Map<number, number>();

  readonly #loop: EventLoop;
  readonly #frames: VirtualFrames;
  readonly #span: MeasuredSpan;
  readonly #objectiveMs: number;
  readonly #measured: SimRequest[] = [];

  constructor(loop: EventLoop, frames: VirtualFrames, span: MeasuredSpan, objectiveMs: number) {
    this.#loop = loop;
    this.#frames = frames;
    this.#span = span;
    this.#objectiveMs = objectiveMs;
  }

  arrived(request: SimRequest): void {
    this.open++;
    request.burstAtMs = this.#loop.taskAtMs;
    if (!this.#isMeasured(request)) return;
    this.offered++;
    this.#measured.push(request);
  }

  answered(request: SimRequest): void {
    this.open--;
    const nowMs = this.#loop.now();
    if (nowMs >= this.#span.fromMs && nowMs <= this.#span.toMs) this.answersInSpan++;
    if (!this.#isMeasured(request)) return;
    this.completed++;
    if (nowMs - request.arrivedAtMs <= this.#objectiveMs) this.good++;
    this.#record(request);
  }

  refused(request: SimRequest): void {
    this.open--;
    if (this.#isMeasured(request)) this.refusalsMs.push(this.#loop.now() - request.arrivedAtMs);
  }

  /**
   * Counts every open request as if it were answered now. That is a lower bound of its latency, so a policy gains
   * nothing by leaving requests unanswered.
   */
  close(): void {
    for (const request of this.#measured) if (!request.isSettled) this.#record(request);
  }

  #isMeasured(request: SimRequest): boolean {
    return request.arrivedAtMs >= this.#span.fromMs && request.arrivedAtMs <= this.#span.toMs;
  }

  #record(request: SimRequest): void {
    const nowMs = this.#loop.now();
    if (request.priority === "background") {
      this.backgroundLatenciesMs.push(nowMs - request.arrivedAtMs);
      return;
    }
    this.latenciesMs.push(nowMs - request.arrivedAtMs);
    const { burstAtMs } = request;
    if (!this.firstAnswersMs.has(burstAtMs)) this.firstAnswersMs.set(burstAtMs, nowMs - burstAtMs);
    if (!this.#frames.wasVisibleSince(request.arrivedAtMs)) return;
    this.framesSum += frameIndex(nowMs) - frameIndex(request.arrivedAtMs) + 1;
    this.framesCount++;
  }
}
