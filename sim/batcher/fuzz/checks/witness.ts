import type { Batch, Outcome } from "@framebatch/batcher/engine/engine.js";
import { Run } from "@framebatch/batcher/engine/run.js";
import type { CompletedBatch } from "@framebatch/batcher/queue/request.js";
import type { EventLoop } from "../../run/event-loop.js";
import { AgeingCheck } from "./ageing-check.js";
import { BackgroundCheck } from "./background-check.js";
import { checkForm, checkLeader, checkOrder } from "./batch-checks.js";
import { type FuzzRequest, oracle } from "../fuzz-request.js";
import { type Ending, explain } from "./rejection-checks.js";
import { FAULT, type Faults } from "../faults.js";
import type { Scenario } from "../scenario.js";
import type { Seen } from "./stats-check.js";
import { accuse, checkRetry } from "./suspects.js";
import { FRAME_MS } from "../../run/virtual-frames.js";
import { Trace } from "../trace.js";
import { hold } from "./violation.js";

const ENDINGS = [
  "completed",
  "failed",
  "aborted",
  "timedOut",
  "superseded",
  "refused",
  "disposed",
  "gone",
] as const satisfies readonly Ending[];

/** A run is overdue when it takes this many times its prediction, and this time in milliseconds. */
const OVERDUE_RATIO = 1.25;
const OVERDUE_MS = 4;

/** Observes every call between the batcher, its callers and its engine, and keeps a model of the expected state. */
export class Witness {
  readonly trace = new Trace();
  readonly waiting = new Set<FuzzRequest>();
  inFlight = 0;
  /** When the engine last answered. */
  endedAtMs = 0;
  /** The number of requests that have not settled. */
  open = 0;
  isDisposed = false;
  isPaused = false;
  /** The first error that the batcher reported and that was not planted. */
  broken: Error | null = null;
  readonly faults: Faults;
  /** The request being enqueued now, which must not settle before the call returns. */
  enqueueing: FuzzRequest | null = null;
  /** Called before a batch leaves that is not a retry. */
  onLeaving: (items: readonly FuzzRequest[]) => void = () => {};
  /** Called after a request settles. */
  onSettled: () => void = () => {};
  /** Called when a part of a failed batch starts. */
  onRetry: (items: readonly FuzzRequest[]) => void = () => {};

  readonly #loop: EventLoop;
  readonly #scenario: Scenario;
  readonly #ageing = new AgeingCheck();
  readonly #background: BackgroundCheck;
  /** For each batch in flight, when it was dispatched, and how long its run may take until it is overdue. */
  readonly #overdue = new Map<Batch<FuzzRequest>, readonly [dispatchedAtMs: number, waitMs: number]>();
  readonly #failedContents = new Set<number>();
  /** Whether the witness knows which requests share a row. */
  readonly #areRowsKnown: boolean;
  /** Whether all items are alike, so that only priority and order decide the members of a batch. */
  readonly #isPlain: boolean;
  readonly #isDoorPredictable: boolean;
  readonly #mostInFlight: number;
  readonly #endings: Record<Ending, number> = {
    completed: 0,
    failed: 0,
    aborted: 0,
    timedOut: 0,
    superseded: 0,
    refused: 0,
    disposed: 0,
    gone: 0,
  };
  #runs = 0;
  #rows = 0;
  #rowsInFlight = 0;

  constructor(loop: EventLoop, scenario: Scenario, faults: Faults) {
    this.#loop = loop;
    this.#scenario = scenario;
    this.#background = new BackgroundCheck(scenario);
    this.faults = faults;
    const { items, batcher, throwRate } = scenario;
    const isCalm = throwRate === 0;
    this.#areRowsKnown = isCalm && batcher.resultCacheSize === 0;
    this.#isPlain = this.#areRowsKnown && !batcher.dedupe && items.groups === 1 && !items.isRagged;
    this.#isDoorPredictable = isCalm && batcher.maxLatencyMs === undefined && batcher.resultCacheSize === 0;
    this.#mostInFlight = batcher.release === "off" ? Infinity : 2 * batcher.engines;
  }

  /** Records a request just before it is enqueued. */
  arrived(request: FuzzRequest): void {
    const { maxQueueSize = Infinity } = this.#scenario.batcher;
    this.open++;
    request.isAfterDispose = this.isDisposed;
    if (this.#isDoorPredictable) request.isExpectedOut = this.waiting.size - this.#replacedBy(request) >= maxQueueSize;
    this.#background.arrived(request, this.#loop.now());
    this.#supersede(request);
    if (!this.isDisposed && request.isExpectedOut !== true) this.waiting.add(request);
  }

  /** Records a batch that the engine receives. */
  started(batch: Batch<FuzzRequest>): void {
    if (batch.reason !== "retry") this.onLeaving(batch.items);
    this.inFlight++;
    this.#runs++;
    this.#rows += batch.items.length;
    this.#rowsInFlight += batch.items.length;
    this.trace.addTime(this.#loop.now());
    this.trace.add(batch.paddedSize);
    for (const item of batch.items) this.trace.add(item.id);
    hold(!this.isDisposed, "I-19", () => "a batch left after dispose");
    hold(!this.isPaused, "I-8", () => "a batch left while the batcher was paused");
    hold(this.inFlight <= this.#mostInFlight, "I-6", () => `${this.inFlight} batches in flight`);
    checkForm(batch, this.#scenario.batcher);
    if (batch.reason === "retry") {
      checkRetry(batch, this.#scenario);
      this.onRetry(batch.items);
    } else this.#startedFirst(batch.items);
    this.#background.started(batch, this.waiting, this.#loop.now());
    this.#overdue.set(batch, [this.#loop.now(), OVERDUE_RATIO * longestMs(batch) + OVERDUE_MS]);
  }

  /** Whether the engine takes another batch. */
  get hasFreeSlot(): boolean {
    return this.inFlight < this.#mostInFlight;
  }

  /** When nothing may wait for the batches in flight any longer. */
  get overdueAtMs(): number {
    const ends = [...this.#overdue.values()].map(([startMs, waitMs]) => Math.max(startMs, this.endedAtMs) + waitMs);
    return Math.max(0, ...ends);
  }

  /** Records an outcome just before the engine reports it. */
  ended(batch: Batch<FuzzRequest>, outcome: Outcome<number>): void {
    this.inFlight--;
    this.#rowsInFlight -= batch.items.length;
    this.endedAtMs = this.#loop.now();
    this.#background.ended(batch, this.endedAtMs);
    this.#overdue.delete(batch);
    if ("error" in outcome) this.#mayFail(accuse(batch, !outcome.divisible));
    else if (outcome.results.length !== batch.items.length) this.#mayFail(accuse(batch, false));
    else this.#succeeded(batch.items, outcome.results);
  }

  resolved(request: FuzzRequest, result: number, batch: CompletedBatch | null): void {
    const isCached = batch === null;
    hold(result === oracle(request.content), "I-2", () => `request ${request.id} was given the result of another`);
    hold(!isCached || this.#scenario.batcher.resultCacheSize > 0, "I-2", () => "a result without a batch");
    hold(isCached || request.state !== "waiting", "I-2", () => `request ${request.id} was answered before it ran`);
    hold(request.isExpectedOut !== true, "I-5", () => `request ${request.id} was let in, though the queue was full`);
    hold(
      !isCached || this.#replacedBy(request) === 0,
      "I-12",
      () => `request ${request.id} was answered, and an older one with its key waits`,
    );
    this.#checkTimeLimit(request);
    this.#settle(request, "completed");
  }

  rejected(request: FuzzRequest, error: unknown): void {
    const hasFailed = request.mayFail || this.#failedContents.has(request.content);
    const evidence = {
      nowMs: this.#loop.now(),
      isDisposed: this.isDisposed,
      hasFailed,
      options: this.#scenario.batcher,
    };
    this.#settle(request, explain(request, error, evidence));
  }

  /** Returns the counts that the statistics must match. */
  seen(): Seen {
    const { inFlight } = this;
    return { endings: this.#endings, waiting: this.waiting.size, inFlight, runs: this.#runs, rows: this.#rows };
  }

  /** Resets the batcher's statistics, and the counts that they must match. */
  reset(batcher: { resetStats(): void }): void {
    try {
      batcher.resetStats();
    } catch (error) {
      if (error === FAULT) return;
      throw error;
    }
    for (const ending of ENDINGS) this.#endings[ending] = 0;
    this.#runs = this.inFlight;
    this.#rows = this.#rowsInFlight;
  }

  /** Returns the number of queued requests that this request replaces. */
  #replacedBy({ id, key }: FuzzRequest): 0 | 1 {
    if (key === undefined) return 0;
    for (const older of this.waiting) if (older.key === key && older.id < id) return 1;
    return 0;
  }

  #supersede(request: FuzzRequest): void {
    const { key, isExpectedOut } = request;
    if (key === undefined || this.isDisposed || isExpectedOut === true) return;
    const successor = isExpectedOut === null ? "unknown" : "accepted";
    for (const older of this.waiting) {
      if (older.key !== key) continue;
      older.successor = successor;
      if (older.rank !== request.rank) continue;
      request.place = Math.min(request.place, older.place);
      request.waitingSinceMs = Math.min(request.waitingSinceMs, older.waitingSinceMs);
    }
  }

  #startedFirst(items: readonly FuzzRequest[]): void {
    const taken: FuzzRequest[] = [];
    for (const item of items) {
      hold(item.state === "waiting", "I-12", () => `request ${item.id} was run, though it was ${item.state}`);
      hold(item.successor !== "accepted", "I-12", () => `request ${item.id} was run, though a newer one has its key`);
      hold(item.isExpectedOut !== true, "I-5", () => `request ${item.id} was let in, though the queue was full`);
      taken.push(...this.#leave(item));
    }
    if (this.#areRowsKnown) checkLeader(taken, this.waiting, this.#loop.now(), this.#scenario.batcher);
    if (!this.#isPlain) return;
    checkOrder(items, this.waiting, this.#loop.now(), this.#scenario.batcher);
    this.#ageing.batchDispatched(items, this.waiting, this.#loop.now());
  }

  /** With `dedupe`, all queued requests with the same content share the row. */
  #leave(item: FuzzRequest): FuzzRequest[] {
    const { dedupe } = this.#scenario.batcher;
    const sharers = dedupe ? [...this.waiting].filter((other) => other.content === item.content) : [item];
    for (const sharer of sharers) this.#sent(sharer);
    return sharers;
  }

  #sent(request: FuzzRequest): void {
    request.state = "sent";
    this.waiting.delete(request);
  }

  #succeeded(items: readonly FuzzRequest[], results: readonly (number | Error)[]): void {
    for (const item of items) item.hasSucceeded = true;
    this.#mayFail(items.filter((_, i) => results[i] instanceof Error));
  }

  /** With `dedupe`, all requests that share a row succeed or fail together. */
  #mayFail(items: readonly FuzzRequest[]): void {
    for (const item of items) {
      item.mayFail = true;
      if (this.#scenario.batcher.dedupe) this.#failedContents.add(item.content);
    }
  }

  #settle(request: FuzzRequest, ending: Ending): void {
    hold(request !== this.enqueueing, "I-11", () => `request ${request.id} settled inside its own enqueue`);
    hold(request.state !== "settled", "I-1", () => `request ${request.id} settled twice`);
    request.state = "settled";
    this.waiting.delete(request);
    this.open--;
    this.#endings[ending]++;
    this.trace.addTime(this.#loop.now());
    this.trace.add(request.id);
    this.trace.add(ending.length);
    this.onSettled();
  }

  /** Only a hidden tab, or a clock that jumps or throws, may delay a timer. */
  #checkTimeLimit({ id, timeoutAtMs }: FuzzRequest): void {
    const { page, throwRate } = this.#scenario;
    const lateMs = this.#loop.now() - timeoutAtMs;
    hold(
      lateMs <= 0 || page.flipRate > 0 || page.jumpRate > 0 || throwRate > 0,
      "time limit",
      () => `request ${id} was answered ${lateMs} ms late`,
    );
  }
}

/** The upper estimate may be that of the runs before, so the scheduler may expect the run to take longer. */
function longestMs(batch: Batch<FuzzRequest>): number {
  const { predictedMs } = batch;
  if (predictedMs === null) return FRAME_MS;
  return batch instanceof Run ? Math.max(predictedMs, batch.expectedMs) : predictedMs;
}
