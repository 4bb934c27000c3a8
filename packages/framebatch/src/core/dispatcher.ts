import { Alarm } from "./alarm.js";
import { formBatch } from "./batch-former.js";
import { planBatch, type BatchPlan } from "./batch-plan.js";
import type { DispatcherParts } from "./dispatcher-parts.js";
import type { ReleaseReason } from "./engine.js";
import { guardedClock } from "./guarded-clock.js";
import { volumeOf } from "./item-volume.js";
import { NextLook } from "./next-look.js";
import type { QueuedRequest } from "./queued-request.js";
import { brokenBy, tooLate } from "./refusals.js";
import { RELEASE_RULES, type Decision, type Dispatch } from "./release-policy.js";
import type { CompletedBatch } from "./request.js";
import { RunAllowance } from "./run-allowance.js";
import type { Situation } from "./situation.js";
import { SizeExplorer } from "./size-explorer.js";
import { predictedEndMs, sizeInTime } from "./size-in-time.js";
import { WaitLedger } from "./wait-ledger.js";

/** Batches in flight for each engine: one runs, and the next is there when it ends. */
const FLIGHTS_PER_ENGINE = 2;

/**
 * With batching off every request is handed over at once, as by a page without a batcher: that is what the switch is to
 * be compared with. A batch size of 1 gives the queue without the batches.
 */
const FLIGHTS_UNBATCHED = Infinity;

/**
 * Runs are kept this short where that costs no throughput, in milliseconds, so that somebody urgent who comes meanwhile
 * need not wait long. In a closed loop nobody is to come.
 */
const LONGEST_RUN_MS = 100;

/**
 * Sends batches when they are to leave. It looks at the queue when something happens (requests came, a batch ended, an
 * alarm rang, the tab was hidden), asks the release rule, and either sends a batch and looks again, or waits.
 */
export class Dispatcher<Item, Result> {
  readonly #parts: DispatcherParts<Item, Result>;
  readonly #maxFlights: number;
  readonly #alarm: Alarm;
  readonly #nextLook: NextLook;
  readonly #waits = new WaitLedger();
  readonly #allowance = new RunAllowance();
  readonly #explorer = new SizeExplorer();
  /** The wait for company that goes on: how many waited when it began, and for which frame. */
  #wait: { readonly queued: number; readonly aimMs: number } | null = null;
  /** Rows still to be sent without waiting, since a flush was asked for. */
  #toFlush = 0;
  /** Rows that have left the queue and are not in a run yet. */
  #leaving: QueuedRequest<Item, Result>[] = [];
  #isPaused = false;
  #isReleasing = false;

  constructor(parts: DispatcherParts<Item, Result>) {
    const { release, engines = 1, clock } = parts.config;
    this.#parts = parts;
    this.#maxFlights = (release === "off" ? FLIGHTS_UNBATCHED : FLIGHTS_PER_ENGINE) * engines;
    const guarded = guardedClock(clock, parts.guard, this.#giveUp);
    this.#alarm = new Alarm(guarded, () => this.release());
    this.#nextLook = new NextLook(guarded, () => this.release());
  }

  /**
   * Looks at the queue once the current task is over, so that a burst is one batch; or after its microtasks, where callers that
   * have just been answered are coming back and nobody else is to be expected; or at once, if a batch is full.
   */
  lookSoon(nowMs: number): void {
    try {
      this.#lookSoon(nowMs);
    } catch (thrown) {
      this.#parts.guard.caught(thrown, this.#giveUp);
    }
  }

  #lookSoon(nowMs: number): void {
    const { config, limit, queue, runner, arrivals } = this.#parts;
    if (runner.size >= this.#maxFlights) return;
    const isFull = queue.size === limit.rows;
    // With an objective a look may turn requests away, which must not happen to one inside its own `enqueue`.
    if (config.release === "off" || (isFull && config.maxLatencyMs === undefined)) return this.release();
    if (!isFull && !arrivals.areReturning(nowMs)) return this.#nextLook.afterTask();
    this.#nextLook.afterReturns(() => (arrivals.haveReturned || queue.size >= limit.rows ? Infinity : queue.size));
  }

  /** Sends all that is to leave now. Ends: each turn takes a row out of the queue, goes on with a search, or is the last. */
  release(): void {
    if (this.#isReleasing) return;
    this.#isReleasing = true;
    this.#parts.guard.run(() => {
      this.#parts.settlement.expireDue();
      while (this.#releaseOne());
    }, this.#giveUp);
    this.#isReleasing = false;
  }

  /** Sends what is queued now without waiting for company, as fast as the engine takes it. */
  flush(): void {
    this.#toFlush = this.#parts.queue.size;
    this.release();
  }

  pause(): void {
    this.#isPaused = true;
    this.#alarm.clear();
  }

  resume(): void {
    this.#isPaused = false;
    this.release();
  }

  /** The engine gets its next full batch before the callers of the last one are heard. */
  beforeAnswers({ size, completedAtMs }: CompletedBatch, runMs: number): void {
    const { limit, queue, cost, arrivals, guard } = this.#parts;
    arrivals.answered(size, completedAtMs);
    this.#allowance.earned(runMs);
    const next = queue.leader(completedAtMs);
    if (next === undefined) return;
    guard.run(() => {
      const best = cost.bestSize(limit.rows, volumeOf(next.shape.extents));
      if (queue.size >= best) this.release();
    }, this.#giveUp);
  }

  afterAnswers(): void {
    const { config, queue, runner, arrivals, guard } = this.#parts;
    guard.run(() => {
      const nowMs = config.clock.now();
      arrivals.haveHeard(nowMs);
      if (runner.isSearching) this.release();
      else if (queue.size > 0) this.#lookSoon(nowMs);
    }, this.#giveUp);
  }

  /** Nobody is woken for a queue that has emptied by itself, and a flush does not last for those who come later. */
  withdrawn(): void {
    const { size } = this.#parts.queue;
    this.#toFlush = Math.min(this.#toFlush, size);
    if (size === 0) this.stop();
  }

  /** Cancels every timer and every look that is still to come. */
  stop(): void {
    this.#alarm.clear();
    this.#nextLook.cancel();
    this.#wait = null;
  }

  /** Sends one batch, if one is to leave now. Returns whether to look again. */
  #releaseOne(): boolean {
    const { config, queue, runner } = this.#parts;
    const nowMs = config.clock.now();
    const leader = this.#isPaused || runner.size >= this.#maxFlights ? undefined : queue.leader(nowMs);
    if (leader === undefined || runner.isSearching) return this.#releaseWithoutLeader();
    if (config.release === "off") return this.#runAlone(leader, nowMs);
    const plan = this.#plan(leader, nowMs);
    const situation = this.#situation(plan, nowMs);
    const decision = this.#decide(situation);
    if (decision.action === "wait") {
      if (decision.aimMs !== null) this.#wait ??= { queued: situation.queued, aimMs: decision.aimMs };
      this.#alarm.setFor(decision.untilMs);
      return false;
    }
    this.#endWait(decision, situation);
    const size = sizeInTime(decision.size, leader.objectiveAtMs, queue.newest()!.objectiveAtMs, situation);
    if (size === null) this.#shed(leader, situation, decision.size);
    else this.#dispatch(plan, decision, size);
    return true;
  }

  /** Goes on with a search for a culprit, which comes before everything else, or does nothing at all. */
  #releaseWithoutLeader(): boolean {
    this.#alarm.clear();
    const { runner } = this.#parts;
    return !this.#isPaused && runner.size < this.#maxFlights && runner.continueSearch();
  }

  #runAlone(request: QueuedRequest<Item, Result>, nowMs: number): true {
    this.#take(request, nowMs);
    this.#run(request.shape.extents, "unbatched");
    return true;
  }

  #plan(leader: QueuedRequest<Item, Result>, nowMs: number): BatchPlan<Item, Result> {
    const { config, limit, queue, cost, runner } = this.#parts;
    const startMs = Math.max(nowMs, runner.freeAtMs(nowMs));
    const hiddenMs = runner.size < (config.engines ?? 1) ? 0 : runner.overheadMs;
    const plan = planBatch(queue, leader, limit.rows, cost, { startMs, hiddenMs });
    const most = runner.mostRequests(plan.volume);
    return plan.size > most ? { ...plan, size: most } : plan;
  }

  #decide(situation: Situation): Decision {
    const { release } = this.#parts.config;
    if (this.#toFlush === 0 && release !== "off") return RELEASE_RULES[release](situation);
    // With a window, sizes are the user's to choose: what waits leaves together.
    const size = release === "window" ? situation.queued : situation.bestSize(situation.queued);
    return { action: "dispatch", size, reason: "flush", forwentWait: false, extraMs: 0 };
  }

  #situation({ leader, size: queued, volume }: BatchPlan<Item, Result>, nowMs: number): Situation {
    const { config, queue, cost, arrivals, forecast, runner } = this.#parts;
    const limit = forecast.sizeLimit(volume);
    const { isClosedLoop } = arrivals;
    const isWholeDue = isClosedLoop && this.#explorer.isWholeDue;
    const longestMs = isClosedLoop ? Infinity : LONGEST_RUN_MS;
    const bestSize = (available: number) => cost.bestSize(Math.min(available, limit), volume, longestMs);
    return {
      nowMs,
      queued,
      othersWait: queue.size > queued,
      ratePerMs: arrivals.ratePerMs(nowMs),
      allowanceMs: this.#allowance.ms,
      oldestAtMs: queue.oldest()!.waitingSinceMs,
      maxBatchSize: runner.mostRequests(volume),
      freeSlots: this.#maxFlights - runner.size,
      running: runner.running,
      engines: config.engines ?? 1,
      freeAtMs: runner.freeAtMs(nowMs),
      handoverMs: config.handoverMs ?? 0,
      bestSize: isWholeDue ? (available) => Math.min(available, limit) : bestSize,
      sufficientSize: () => Math.min(limit, cost.sufficientSize(volume)),
      predictMs: cost.isKnown ? (size) => cost.predict(size, volume) : null,
      overheadMs: runner.overheadMs,
      fixedMs: cost.line.fixedMs,
      marginMs: 2 * cost.deviation(queued, volume) + this.#alarm.latenessMs,
      grid: config.frames.grid(),
      isHidden: config.frames.isHidden(),
      isClosedLoop,
      haveReturned: arrivals.haveReturned,
      msPerReturn: arrivals.msPerReturn,
      isWholeDue,
      patience: isClosedLoop ? 0 : this.#waits.patience(),
      mustStartByMs: leader.dueMs - cost.predict(queued, volume),
      aimMs: this.#wait?.aimMs ?? null,
      maxQueueDelayMs: config.maxQueueDelayMs ?? 10,
    };
  }

  #endWait({ forwentWait }: Dispatch, { queued, isClosedLoop }: Situation): void {
    if (this.#wait !== null) this.#waits.waited(Math.max(0, queued - this.#wait.queued));
    else if (forwentWait && !isClosedLoop) this.#waits.passed();
    this.#wait = null;
    this.#alarm.ease();
  }

  /** Rejects the request of a row that is the first to be late; the others on the row go on. */
  #shed(leader: QueuedRequest<Item, Result>, situation: Situation, size: number): void {
    const { admission, settlement, config } = this.#parts;
    const request = leader.standsFor?.oldest ?? leader;
    const latencyMs = predictedEndMs(situation, size) - request.enqueuedAtMs;
    admission.strained(situation.nowMs);
    settlement.fail(request, "shed", tooLate(latencyMs, config.maxLatencyMs ?? Infinity));
  }

  #dispatch(plan: BatchPlan<Item, Result>, { reason, extraMs }: Dispatch, best: number): void {
    const { config, queue, cost, limit, runner } = this.#parts;
    // Trials cost time, which there is none of with an objective to meet; and what a window leaves behind waits another one.
    const mayTry = queue.size > best && config.maxLatencyMs === undefined && config.release !== "window";
    const size = mayTry ? this.#explorer.choose(best, plan.size, plan.volume, cost) : best;
    this.#explorer.left(size >= Math.min(limit.rows, queue.size + runner.running.rows));
    const nowMs = config.clock.now();
    const extents = formBatch(queue, plan, size, cost, (request) => this.#take(request, nowMs));
    this.#allowance.spent(extraMs);
    this.#toFlush = Math.max(0, this.#toFlush - this.#leaving.length);
    this.#run(extents, reason);
  }

  #take(request: QueuedRequest<Item, Result>, nowMs: number): void {
    this.#leaving.push(request);
    this.#parts.queue.remove(request, "running");
    this.#parts.settlement.departed(request, nowMs);
  }

  #run(extents: readonly number[], reason: ReleaseReason): void {
    this.#parts.runner.run(this.#leaving, extents, reason);
    this.#leaving = [];
  }

  /**
   * Scheduling has failed: rejects all that depends on it, so that nothing is left waiting for a look that never comes. What the
   * engine has goes on, and so does whatever comes next.
   */
  readonly #giveUp = (cause: Error): number => {
    const { settlement, runner } = this.#parts;
    const error = brokenBy(cause);
    const rows = [...this.#leaving, ...runner.giveUpSearches()];
    this.#leaving = [];
    this.#toFlush = 0;
    this.stop();
    const failed = rows.reduce((count, row) => count + settlement.failRow(row, "failed", error), 0);
    return failed + settlement.failQueued("failed", error);
  };
}
