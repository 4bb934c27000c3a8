import { Alarm, NextLook } from "./wake-ups.js";
import type { BatchPlan } from "./batch-plan.js";
import type { ReleaseReason } from "../release-reason.js";
import { guardedClock, guardedVisibility } from "../guard.js";
import { volumeOf } from "../shape.js";
import type { QueuedRequest } from "../queue/queued-request.js";
import { brokenBy, tooLate } from "../requests/request-errors.js";
import { type Decision, type Dispatch, type ReleaseContext, send } from "./release/context.js";
import { RELEASE_RULES } from "./release/index.js";
import type { CompletedBatch } from "../queue/request.js";
import type { SchedulerParts } from "./scheduler-parts.js";
import { WaitPayoff } from "./wait-payoff.js";

/** Batches in flight for each engine: one runs, and the next is there when it ends. */
const FLIGHTS_PER_ENGINE = 2;

/** With batching off every request is handed over at once, as by a page without a batcher: the switch compares with that. */
const FLIGHTS_UNBATCHED = Infinity;

/** The engine counts as busy when the requests of one frame take it more than this share of a frame, even as one batch. */
const BUSY_SHARE = 0.9;

/** A second run costs little where its fixed cost is no more than this share of the first: nobody waits to spare it. */
const CHEAP_SHARE = 1 / 4;

const DEFAULT_QUEUE_DELAY_MS = 10;

/**
 * Sends batches. It looks at the queue when something happens (a request comes, a batch ends, an alarm rings, the tab is hidden),
 * asks the release rule whether to send, lets the planner say who and how many, and looks again until the answer is to wait.
 */
export class Scheduler<Item, Result> {
  readonly #parts: SchedulerParts<Item, Result>;
  readonly #maxFlights: number;
  readonly #alarm: Alarm;
  readonly #nextLook: NextLook;
  readonly #waits = new WaitPayoff();
  #lastDispatchMs = -Infinity;
  /** Rows still to be sent without waiting, since a flush was asked for. */
  #toFlush = 0;
  /** Rows that have left the queue and are not in a run yet. */
  #leaving: QueuedRequest<Item, Result>[] = [];
  #isPaused = false;
  #isReleasing = false;

  constructor(parts: SchedulerParts<Item, Result>) {
    const { release, engines = 1, clock, frames } = parts.config;
    this.#parts = parts;
    this.#maxFlights = (release === "off" ? FLIGHTS_UNBATCHED : FLIGHTS_PER_ENGINE) * engines;
    const guarded = guardedClock(clock, parts.guard, this.#giveUp);
    this.#alarm = new Alarm(guarded, guardedVisibility(frames, parts.guard), () => this.release());
    this.#nextLook = new NextLook(guarded, () => this.release());
  }

  /** A request is about to join the queue. */
  arrived(nowMs: number): void {
    const { arrivals, queue, runner } = this.#parts;
    // The requests of one task are one burst, however long each of them takes the page.
    if (!this.#nextLook.isPending) arrivals.burstBegan(nowMs, queue.size === 0 && runner.size === 0);
    if (!arrivals.arrived(nowMs)) this.#waits.arrived(nowMs);
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
    const { config, limits, queue, runner, arrivals } = this.#parts;
    if (runner.size >= this.#maxFlights) return;
    const isFull = queue.size === limits.rows;
    // With an objective a look may turn requests away, which must not happen to one inside its own `enqueue`.
    if (config.release === "off" || (isFull && config.maxLatencyMs === undefined)) return this.release();
    if (!isFull && !arrivals.areReturning(nowMs)) return this.#nextLook.afterTask();
    this.#nextLook.afterReturns(() => (arrivals.haveReturned || queue.size >= limits.rows ? Infinity : queue.size));
  }

  /** Sends all that is to leave now. Ends: each turn takes a row out of the queue, goes on with a search, or is the last. */
  release(): void {
    if (this.#isReleasing) return;
    this.#isReleasing = true;
    this.#parts.guard.run(() => {
      this.#parts.tracker.expireDue();
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
  beforeAnswers({ size, completedAtMs }: CompletedBatch): void {
    const { queue, planner, arrivals, guard } = this.#parts;
    arrivals.answered(size, completedAtMs);
    const next = queue.leader(completedAtMs);
    if (next === undefined) return;
    guard.run(() => {
      if (queue.size >= planner.bestSize(volumeOf(next.shape.extents))) this.release();
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
    this.#waits.ended();
  }

  /** Sends one batch, if one is to leave now. Returns whether to look again. */
  #releaseOne(): boolean {
    const { config, queue, runner, planner } = this.#parts;
    const nowMs = config.clock.now();
    const leader = this.#isPaused || runner.size >= this.#maxFlights ? undefined : queue.leader(nowMs);
    if (leader === undefined || runner.isSearching) return this.#releaseWithoutLeader();
    if (config.release === "off") return this.#runAlone(leader, nowMs);
    const plan = planner.plan(leader, nowMs);
    const context = this.#context(plan, nowMs);
    const decision = this.#decide(context);
    this.#waits.decided(decision);
    if (decision.action === "wait") {
      this.#alarm.setFor(decision.untilMs);
      return false;
    }
    this.#alarm.ease();
    this.#send(plan, decision, context);
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

  #decide(context: ReleaseContext): Decision {
    const { release } = this.#parts.config;
    if (this.#toFlush === 0 && release !== "off") return RELEASE_RULES[release](context);
    // With a window, sizes are the user's to choose: what waits leaves together.
    return send("flush", release === "window");
  }

  #context(plan: BatchPlan<Item, Result>, nowMs: number): ReleaseContext {
    const { config, queue, cost, runner, planner, limits } = this.#parts;
    const { leader, size: queued, volume } = plan;
    const grid = config.frames.grid();
    return {
      nowMs,
      queued,
      maxBatchSize: limits.fitting(volume),
      isFull: () => queued >= planner.bestSize(volume),
      othersWait: queue.size > queued,
      startMs: runner.freeAtMs(nowMs),
      formAtMs: this.#formAtMs(plan, nowMs),
      isHidden: config.frames.isHidden(),
      predictMs: cost.isKnown ? (size) => cost.predict(size, volume) : null,
      marginMs: 2 * cost.deviation(queued, volume) + this.#alarm.latenessMs,
      isEngineBusy: () => grid !== null && this.#frameWorkMs(volume, grid.periodMs, nowMs) > BUSY_SHARE * grid.periodMs,
      grid,
      patience: () => this.#patience(plan),
      mustStartByMs: leader.dueMs - cost.predict(queued, volume),
      aimMs: this.#waits.aimMs,
      windowClosesAtMs: queue.oldest()!.waitingSinceMs + (config.maxQueueDelayMs ?? DEFAULT_QUEUE_DELAY_MS),
    };
  }

  /** When the next batch must be formed so that the engine need not wait for it. */
  #formAtMs(plan: BatchPlan<Item, Result>, nowMs: number): number {
    const { config, runner, planner } = this.#parts;
    const freeAtMs = runner.freeAtMs(nowMs);
    if (!planner.isRound(plan)) return freeAtMs - (config.handoverMs ?? 0);
    // Nobody else can come before a batch ends, and no timer is as punctual as a batch that is there already. But callers that one
    // run serves better do not take turns without end: these wait for the others.
    const { size: queued, volume, leader } = plan;
    const { batches, rows } = runner.running;
    if (batches < (config.engines ?? 1) || freeAtMs > leader.dueMs) return nowMs;
    const others = Math.round(rows / batches);
    const isOneRunBest = planner.bestSize(volume, queued + others) === queued + others;
    return isOneRunBest && !planner.areTurnsBetter(others, queued, volume) ? Infinity : nowMs;
  }

  /** What the requests of one frame take the engine as one batch. */
  #frameWorkMs(volume: number, periodMs: number, nowMs: number): number {
    const { arrivals, cost, limits } = this.#parts;
    const perFrame = Math.max(1, Math.round(arrivals.ratePerMs(nowMs) * periodMs));
    return cost.predict(Math.min(limits.fitting(volume), perFrame), volume);
  }

  #patience({ leader, size, volume }: BatchPlan<Item, Result>): number {
    const { arrivals, cost } = this.#parts;
    const isLeftBehind = leader.enqueuedAtMs <= this.#lastDispatchMs;
    const isCheap = cost.line.fixedMs <= CHEAP_SHARE * cost.predict(size, volume);
    return arrivals.isClosedLoop || isLeftBehind || isCheap ? 0 : this.#waits.patience;
  }

  #send(
    plan: BatchPlan<Item, Result>,
    { reason, isWhole }: Dispatch,
    { nowMs, queued, maxBatchSize }: ReleaseContext,
  ): void {
    const { planner } = this.#parts;
    const wanted = isWhole ? queued : Math.min(planner.share(queued), planner.size(plan, nowMs));
    const size = planner.sizeInTime(wanted, plan, nowMs);
    if (size === 0) this.#shed(plan, wanted, nowMs);
    else
      this.#dispatch(
        plan,
        size,
        reason === "idle" && (wanted < queued || queued >= maxBatchSize) ? "full" : reason,
        nowMs,
      );
  }

  /** Rejects the request of a row that is the first to be late; the others on the row go on. */
  #shed({ leader, volume }: BatchPlan<Item, Result>, size: number, nowMs: number): void {
    const { admission, tracker, config, planner } = this.#parts;
    const request = leader.standsFor?.oldest ?? leader;
    const latencyMs = planner.endMs(size, volume, nowMs) - request.enqueuedAtMs;
    admission.strained(nowMs);
    tracker.fail(request, "shed", tooLate(latencyMs, config.maxLatencyMs ?? Infinity));
  }

  #dispatch(plan: BatchPlan<Item, Result>, size: number, reason: ReleaseReason, nowMs: number): void {
    const extents = this.#parts.planner.take(plan, size, (request) => this.#take(request, nowMs));
    this.#toFlush = Math.max(0, this.#toFlush - this.#leaving.length);
    this.#lastDispatchMs = nowMs;
    this.#run(extents, reason);
  }

  #take(request: QueuedRequest<Item, Result>, nowMs: number): void {
    this.#leaving.push(request);
    this.#parts.queue.remove(request, "running");
    this.#parts.tracker.departed(request, nowMs);
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
    const { tracker, runner } = this.#parts;
    const error = brokenBy(cause);
    const rows = [...this.#leaving, ...runner.giveUpSearches()];
    this.#leaving = [];
    this.#toFlush = 0;
    this.stop();
    const failed = rows.reduce((count, row) => count + tracker.failRow(row, "failed", error), 0);
    return failed + tracker.failQueued("failed", error);
  };
}
