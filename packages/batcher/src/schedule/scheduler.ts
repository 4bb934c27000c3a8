import { Alarm } from "./alarm.js";
import { QuietWait } from "./arrivals.js";
import { formBatch, type BatchPlan } from "./batch-plan.js";
import { decide, type Decision, type Dispatch, type ReleaseReason } from "../decide/decide.js";
import { guardedTimer, guardedVisibility } from "../errors/guard.js";
import { BACKGROUND, type CompletedBatch, type QueuedRequest } from "../queue/request.js";
import { volumeOf } from "../queue/shape.js";
import { brokenBy, tooLate } from "../requests/request-errors.js";
import { RELEASE_RULES, type Rule } from "../decide/release-rules.js";
import type { Situation } from "../decide/situation.js";
import { FrameMargin, type SchedulerState, situationNow, WaitPayoff } from "./situation-now.js";
import type { SchedulerParts } from "./batch-planner.js";

/** Maximum number of batches in flight per engine: one runs, and the next is ready when it ends. */
const MAX_IN_FLIGHT_PER_ENGINE = 2;

/** Number of runs that may end without an answer before the next one waits for a new task. */
const MAX_FAILURES_PER_TASK = 64;

/**
 * Dispatches batches. It examines the queue on each event: a request arrives, a batch ends, an alarm fires, or the
 * tab's visibility changes. It does what `decide` says, and repeats until that is to wait. It has no opinion of its
 * own.
 */
export class Scheduler<Item, Result> {
  readonly #parts: SchedulerParts<Item, Result>;
  readonly #alarm: Alarm;
  /** Ends with a look at the queue, when a burst is complete. */
  readonly #burst: QuietWait;
  /** Lasts while callers that have just been answered may enqueue again. */
  readonly #returns: QuietWait;
  readonly #waits = new WaitPayoff();
  readonly #margin = new FrameMargin();
  /** Number of rows that a flush has still to dispatch without waiting. */
  #toFlush = 0;
  /** Rows that are out of the queue and not yet in a run. */
  #taken: QueuedRequest<Item, Result>[] = [];
  #isPaused = false;
  #isReleasing = false;
  /** Number of runs that have ended since the last one with answers, itself included, or since the last alarm. */
  #failures = 0;

  constructor(parts: SchedulerParts<Item, Result>) {
    const { config, guard, arrivals } = parts;
    this.#parts = parts;
    const guarded = guardedTimer(config.clock, guard, this.#giveUp);
    this.#alarm = new Alarm(guarded, guardedVisibility(config.frames, guard), this.#alarmRang);
    this.#burst = new QuietWait(config.clock, guard, this.#giveUp, this.#waiting, () => this.release());
    this.#returns = new QuietWait(
      config.clock,
      guard,
      this.#giveUp,
      () => arrivals.returned,
      () => arrivals.endReturns(),
    );
  }

  /** Records that a request is about to join the queue. */
  arrived(nowMs: number): void {
    const { arrivals, queue, runner } = this.#parts;
    // The requests of one task are one burst, however long the page takes for each of them.
    if (this.#burst.underWay === null) arrivals.burstBegan(nowMs, queue.size === 0 && runner.load.batches.size === 0);
    if (!arrivals.arrived(nowMs)) this.#waits.arrived(nowMs);
    // No other request can count as a return.
    else if (arrivals.haveReturned) this.#endReturns();
  }

  /**
   * Schedules the next look at the queue: when no further request of this burst is expected. Dispatches a full batch at
   * once. After too many failed runs, it comes in a new task: callers that ask again whenever they are rejected must
   * not keep the page from its other work.
   */
  lookSoon(): void {
    const { config, guard, limits, queue, runner } = this.#parts;
    if (runner.load.batches.size >= this.#maxInFlight) return;
    try {
      if (this.#failures >= MAX_FAILURES_PER_TASK) return this.#alarm.setFor(config.clock.now());
      if (config.release === "off") return this.release();
      // With a latency objective, a look may shed requests, which must not happen to a request inside its own
      // `enqueue`.
      if (queue.size === limits.rows && config.maxLatencyMs === undefined) this.release();
      // Even if nothing is queued any more: the burst lasts until no further request of it is expected.
      this.#burst.start();
    } catch (thrown) {
      guard.caught(thrown, this.#giveUp);
    }
  }

  readonly #alarmRang = (): void => {
    this.#failures = 0;
    this.release();
  };

  /** Number of queued requests; `Infinity` when no other request is expected. */
  readonly #waiting = (): number => {
    const { arrivals, limits, queue } = this.#parts;
    return arrivals.haveReturned || queue.size >= limits.rows ? Infinity : queue.size;
  };

  /**
   * Dispatches every batch that is due now. Terminates, because each iteration takes a row out of the queue, continues
   * a failure search, or is the last.
   */
  release(): void {
    if (this.#isReleasing) return;
    this.#isReleasing = true;
    try {
      this.#parts.tracker.expireDue();
      while (this.#releaseOne());
    } catch (thrown) {
      this.#parts.guard.caught(thrown, this.#giveUp);
    }
    this.#isReleasing = false;
  }

  /** Dispatches the requests that are queued now without waiting for more, as fast as the engine accepts them. */
  flush(): void {
    this.#toFlush = this.#parts.queue.size;
    this.release();
  }

  pause(): void {
    this.#isPaused = true;
    this.#alarm.clear();
    // Its frame may have passed at the resume.
    this.#waits.ended();
  }

  resume(): void {
    this.#isPaused = false;
    this.release();
  }

  /**
   * Dispatches the next batch, if a full one is queued, before the callers of the last one get their results.
   * @param requests number of requests that the last one answers
   */
  beforeAnswers(batch: CompletedBatch, requests: number): void {
    const { completedAtMs } = batch;
    const { queue, planner, arrivals, guard } = this.#parts;
    this.#failures = 0;
    try {
      if (this.#margin.ms > 0 || this.#margin.aim !== null) this.#margin.answered(batch);
      arrivals.answered(requests, completedAtMs);
      const next = queue.size === 0 ? undefined : queue.leader(completedAtMs);
      if (next !== undefined && queue.size >= planner.bestSize(volumeOf(next.shape.extents))) this.release();
    } catch (thrown) {
      guard.caught(thrown, this.#giveUp);
    }
  }

  afterAnswers(): void {
    const { queue, runner, guard } = this.#parts;
    this.#failures += 1;
    try {
      this.#returns.cancel();
      this.#returns.start();
      if (runner.isSearching) this.release();
      else if (queue.size > 0) this.lookSoon();
    } catch (thrown) {
      guard.caught(thrown, this.#giveUp);
    }
  }

  /**
   * Stops all timers if the queue is empty. Limits a flush to the requests still queued, so that it does not include
   * later ones.
   */
  withdrawn(): void {
    const { size } = this.#parts.queue;
    this.#toFlush = Math.min(this.#toFlush, size);
    if (size === 0) this.stop();
  }

  /** Cancels every timer and every scheduled look. */
  stop(): void {
    this.#alarm.clear();
    this.#burst.cancel();
    this.#endReturns();
    this.#waits.ended();
  }

  #endReturns(): void {
    this.#returns.cancel();
    this.#parts.arrivals.endReturns();
  }

  /** Dispatches one batch if one is due now. Returns whether to look again. */
  #releaseOne(): boolean {
    const { config, queue, limits, runner, planner } = this.#parts;
    const mayRun = queue.size > 0 && !this.#isPaused && runner.load.batches.size < this.#maxInFlight;
    const nowMs = mayRun ? config.clock.now() : 0;
    const leader = mayRun ? queue.leader(nowMs) : undefined;
    if (leader === undefined || runner.isSearching) return this.#releaseWithoutLeader();
    if (config.release === "off") return this.#runAlone(leader, nowMs, "unbatched");
    const rule = RELEASE_RULES[config.release];
    if (this.#isLone(leader, rule)) {
      const isFull =
        limits.rows === 1 || (limits.maxVolume < Infinity && limits.fitting(volumeOf(leader.shape.extents)) === 1);
      const reason = this.#toFlush > 0 ? "flush" : isFull ? "full" : "idle";
      if (this.#waits.targetFrameMs !== null) this.#waits.ended();
      this.#toFlush = 0;
      return this.#runAlone(leader, nowMs, reason);
    }
    const plan = planner.plan(leader, nowMs);
    const situation = situationNow(this.#parts, this.#state, plan, nowMs, rule);
    return this.#act(decide(situation, rule), plan, situation);
  }

  /** Does what was decided for the plan. Returns whether to look again. */
  #act(decision: Decision, plan: BatchPlan<Item, Result>, { nowMs, targetFrameMs, grid }: Situation): boolean {
    this.#waits.decided(decision);
    if (decision.action === "wait") {
      this.#alarm.setFor(decision.untilMs);
      return false;
    }
    if (decision.action === "shed") this.#shed(plan.leader, decision.endMs, nowMs);
    else {
      if (decision.reason === "frame")
        this.#margin.dispatched({ dispatchedAtMs: nowMs, frameMs: targetFrameMs!, periodMs: grid!.periodMs });
      this.#dispatch(plan, decision, nowMs);
    }
    return true;
  }

  /** Continues a failure search, which takes precedence over other work, or does nothing. */
  #releaseWithoutLeader(): boolean {
    if (this.#alarm.isSet) this.#alarm.clear();
    const { runner } = this.#parts;
    return (
      runner.isSearching && !this.#isPaused && runner.load.batches.size < this.#maxInFlight && runner.continueSearch()
    );
  }

  /**
   * Whether nothing is to be decided for a request: no other is queued, running or expected, and none may keep it
   * waiting. `decide` would dispatch it now, too.
   */
  #isLone(leader: QueuedRequest<Item, Result>, { waitsFor }: Rule): boolean {
    const { config, queue, runner, arrivals } = this.#parts;
    return (
      queue.size === 1 &&
      runner.load.batches.size === 0 &&
      arrivals.isClosedLoop &&
      leader.rank !== BACKGROUND &&
      waitsFor !== "requests" &&
      config.maxLatencyMs === undefined
    );
  }

  #runAlone(request: QueuedRequest<Item, Result>, nowMs: number, reason: ReleaseReason): true {
    this.#parts.queue.led(request);
    this.#take(request, nowMs);
    this.#run(request.shape.extents, reason);
    return true;
  }

  get #state(): SchedulerState {
    return { waits: this.#waits, margin: this.#margin, isFlushed: this.#toFlush > 0 };
  }

  /**
   * With batching off, every request is dispatched at once, as on a page without a batcher, so that the two can be
   * compared.
   */
  get #maxInFlight(): number {
    const { release, engines = 1 } = this.#parts.config;
    return release === "off" ? Infinity : MAX_IN_FLIGHT_PER_ENGINE * engines;
  }

  /**
   * Rejects the request that is too late. If its row is shared, rejects the oldest request; the others on the row stay
   * queued.
   */
  #shed(leader: QueuedRequest<Item, Result>, endMs: number, nowMs: number): void {
    const { admission, tracker, config } = this.#parts;
    const request = leader.standsFor?.oldest ?? leader;
    admission.strained(nowMs);
    tracker.fail(request, "shed", tooLate(endMs - request.enqueuedAtMs, config.maxLatencyMs ?? Infinity));
  }

  #dispatch(plan: BatchPlan<Item, Result>, { size, reason }: Dispatch, nowMs: number): void {
    const extents = formBatch(this.#parts.queue, plan, size, (request) => this.#take(request, nowMs));
    this.#toFlush = Math.max(0, this.#toFlush - this.#taken.length);
    this.#run(extents, reason);
  }

  #take(request: QueuedRequest<Item, Result>, nowMs: number): void {
    this.#taken.push(request);
    this.#parts.queue.remove(request, "running");
    this.#parts.tracker.departed(request, nowMs);
  }

  #run(extents: readonly number[], reason: ReleaseReason): void {
    this.#parts.runner.run(this.#taken, extents, reason);
    this.#taken = [];
  }

  /**
   * Handles a failure of the scheduler itself. Rejects every request that depends on the scheduler, so that none waits
   * for a look that never comes. Batches on the engine are not affected, nor are later requests.
   */
  readonly #giveUp = (cause: Error): number => {
    const { tracker, runner } = this.#parts;
    const error = brokenBy(cause);
    const rows = [...this.#taken, ...runner.giveUpSearches()];
    this.#taken = [];
    this.#toFlush = 0;
    this.stop();
    const failed = rows.reduce((count, row) => count + tracker.failRow(row, "failed", error), 0);
    return failed + tracker.failQueued("failed", error);
  };
}
