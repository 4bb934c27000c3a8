import type { BatchLimits } from "./batch-limits.js";
import { Bisection, Halving, OneByOne, type Search } from "./failure-search.js";
import type { CostModel } from "../cost/cost-model.js";
import { enclosing, ownVolume } from "../queue/shape.js";
import type { Outcome, RunnerConfig } from "./engine.js";
import type { ReleaseReason } from "../decide/decide.js";
import { FramebatchError } from "../errors/errors.js";
import { type Guard, rejectNone, isError } from "../errors/guard.js";
import { InFlight, Run, type RunSize } from "./run.js";
import { type CompletedBatch, isWanted, type QueuedRequest } from "../queue/request.js";
import { brokenBy, wrongLength } from "../requests/request-errors.js";
import type { RequestTracker } from "../requests/request-tracker.js";

/** A run that takes no longer than this is always believed, in milliseconds. */
const LONG_MS = 1000;

/** A run is slow if it takes more than this many times its predicted time. */
const TIMES_PREDICTED = 2;

type Success<Result> = Extract<Outcome<Result>, { readonly results: unknown }>;
type BatchFailure = Extract<Outcome<unknown>, { readonly error: Error }>;

type Row<Item, Result> = QueuedRequest<Item, Result>;

/** Receives the dispatches and the ends of batches. */
export interface RunListener {
  /** Called after a batch has been dispatched. */
  started(): void;
  /**
   * Called after a batch has succeeded, before its callers get their results.
   * @param requests number of requests on its rows
   */
  beforeAnswers(batch: CompletedBatch, requests: number): void;
  /** Called after a batch has succeeded or failed and its requests have settled. */
  afterAnswers(): void;
}

/**
 * Runs batches on the engine and makes sure that every row ends: with its result, with its own error, or, when a whole
 * batch fails, after a search that runs parts of the batch until the failing item is known.
 */
export class BatchRunner<Item, Result> {
  readonly #config: RunnerConfig<Item, Result>;
  readonly #limits: BatchLimits;
  readonly #cost: CostModel;
  readonly #tracker: RequestTracker<Item, Result>;
  readonly #guard: Guard;
  /** The batches in flight, and what they ask of the engine. */
  readonly load: InFlight<Run<Item, Result>>;
  readonly #slowRuns = new SlowRuns();
  readonly #searches: Search<Row<Item, Result>>[] = [];
  readonly #listener: RunListener;
  #batches = 0;
  #isAbandoned = false;

  constructor(
    config: RunnerConfig<Item, Result>,
    limits: BatchLimits,
    cost: CostModel,
    tracker: RequestTracker<Item, Result>,
    guard: Guard,
    listener: RunListener,
  ) {
    this.#config = config;
    this.#limits = limits;
    this.#cost = cost;
    this.#tracker = tracker;
    this.#guard = guard;
    this.#listener = listener;
    this.load = new InFlight(config.engines ?? 1);
  }

  /** Numbers of batches in flight and of their rows. */
  get running(): { readonly batches: number; readonly rows: number } {
    let rows = 0;
    for (const run of this.load.batches) rows += run.rows.length;
    return { batches: this.load.batches.size, rows };
  }

  /** Whether a failure search waits for its next step. */
  get isSearching(): boolean {
    return this.#searches.length > 0;
  }

  /** Counts the batches in flight in statistics that have just been reset. */
  recount(nowMs: number): void {
    for (const run of this.load.batches) this.#countStart(run, nowMs, false);
  }

  /** Runs the next step of a failure search. Returns whether there was one. */
  continueSearch(): boolean {
    const [found] = this.#searches;
    if (found === undefined) return false;
    const search = this.#limits.isTrusted ? found : new OneByOne(found.unsettled);
    this.#searches[0] = search;
    const rows = search.testing.filter(isWanted);
    // No request of this step still needs an answer, so the step can be skipped even if the culprit is in it.
    if (rows.length === 0 && search.ended(null, rows)) return true;
    if (rows.length > 0) this.run(rows, rows.map((row) => row.shape.extents).reduce(enclosing), "retry", search);
    this.#searches.shift();
    return true;
  }

  /** Tells the engine of every run that no request waits for any more. Called when a running request has left. */
  requestLeft(): void {
    for (const run of this.load.batches) {
      const { onUnwanted } = run;
      if (onUnwanted === null || run.rows.some(isWanted)) continue;
      run.onUnwanted = null;
      this.#guard.run(onUnwanted, rejectNone);
    }
  }

  /** Abandons every failure search that waits for its next step. Returns their rows. */
  giveUpSearches(): Row<Item, Result>[] {
    return this.#searches.splice(0).flatMap((search) => search.unsettled);
  }

  /**
   * Abandons every failure search, and ignores answers that arrive later. Returns every row that is out of the queue
   * and has no answer.
   */
  abandon(): Row<Item, Result>[] {
    this.#isAbandoned = true;
    const rows = [...this.load.batches].flatMap((run) => [...run.rows, ...(run.search?.unsettled ?? [])]);
    return [...rows, ...this.giveUpSearches()];
  }

  /** Runs rows together. @param search the failure search of which this is a step */
  run(
    rows: readonly Row<Item, Result>[],
    extents: readonly number[],
    reason: ReleaseReason,
    search: Search<Row<Item, Result>> | null = null,
  ): void {
    const { batches } = this.load;
    const nowMs = this.#config.clock.now();
    const run = new Run(++this.#batches, rows, this.#sizeOf(rows, extents), reason, search, nowMs, this.#cost);
    this.#countStart(run, nowMs, batches.size === 0);
    // What others teach from now on does not change what this run and those before it were expected to take.
    if (batches.size > 0) run.expect();
    if (batches.size === 1) batches.first?.expect();
    this.load.dispatched(run);
    try {
      this.#config.engine.run(
        run,
        (outcome) => this.#ended(run, outcome),
        (callback) => (run.onUnwanted = callback),
      );
    } catch (thrown) {
      this.#guard.caught(thrown, (error) => {
        this.#tracker.soon(() => this.#ended(run, { error, divisible: true }));
        return rows.length;
      });
    }
    this.#listener.started();
  }

  /** Determines the size of a run. A single item keeps its own size if batches are not trusted or batching is off. */
  #sizeOf(rows: readonly Row<Item, Result>[], extents: readonly number[]): RunSize {
    const { allowedBatchSizes, fixedBatchSize = 1, release } = this.#config;
    const { isTrusted } = this.#limits;
    const allowedSize = allowedBatchSizes?.find((size) => size >= rows.length) ?? rows.length;
    const [first] = rows;
    if (first === undefined || rows.length > 1 || (isTrusted && release !== "off"))
      return { isAlone: false, extents, paddedSize: allowedSize };
    const paddedSize = isTrusted ? allowedSize : fixedBatchSize;
    return { isAlone: true, extents: first.shape.ownExtents ?? first.shape.extents, paddedSize };
  }

  #countStart(run: Run<Item, Result>, nowMs: number, wasIdle: boolean): void {
    const { rows, extents, paddedSize, volume, reason } = run;
    let usedVolume = 0;
    for (const { shape } of rows) {
      const isPlain = shape.extents === extents && shape.ownExtents === undefined && shape.volume === undefined;
      usedVolume += isPlain ? volume : ownVolume(shape);
    }
    const computedVolume = paddedSize * volume;
    this.#tracker.statistics.batchDispatched({ size: rows.length, reason, usedVolume, computedVolume, wasIdle, nowMs });
  }

  #ended(run: Run<Item, Result>, outcome: Outcome<Result>): void {
    // Only the first outcome counts: an engine that throws while it starts a batch may still answer it.
    if (run.isOver) return;
    run.isOver = true;
    try {
      this.#conclude(run, outcome);
    } catch (thrown) {
      this.#guard.caught(thrown, (error) => this.#lost(run, error));
    }
    if (!this.#isAbandoned) this.#listener.afterAnswers();
  }

  #conclude(run: Run<Item, Result>, outcome: Outcome<Result>): void {
    const { clock, origin = "device", onBatch } = this.#config;
    const nowMs = clock.now();
    const runMs = this.load.ended(run, nowMs);
    const isWhole = "results" in outcome && outcome.results.length === run.rows.length;
    const failure = isWhole ? null : failureOf(outcome, run.rows.length);
    const isIdleNow = this.load.batches.size === 0;
    const inferenceMs = "results" in outcome ? (outcome.inferenceMs ?? runMs) : runMs;
    // Answers that the page handles together seem to have taken no time, but for the first of them.
    const tookMs = Math.max(runMs, inferenceMs);
    this.#tracker.statistics.batchEnded({ runMs: tookMs, hasFailed: failure !== null, isIdleNow, nowMs });
    if (this.#isAbandoned) return;
    const batch = run.completed(origin, inferenceMs, nowMs);
    if (failure !== null) this.#failed(run, failure);
    else if ("results" in outcome) this.#succeeded(run, outcome, batch, runMs);
    try {
      onBatch?.(batch);
    } catch (thrown) {
      this.#guard.caught(thrown, rejectNone);
    }
  }

  /**
   * Rejects the rows of a run whose answer could not be processed. The remaining rows of its failure search are
   * rejected too, and are not run again.
   */
  #lost(run: Run<Item, Result>, cause: Error): number {
    this.load.ended(run, run.dispatchedAtMs);
    const { rows, search } = run;
    const error = brokenBy(cause);
    const lost = [...rows, ...(search?.unsettled ?? [])];
    return lost.reduce((count, row) => count + this.#tracker.failRow(row, "failed", error), 0);
  }

  #succeeded(
    run: Run<Item, Result>,
    { results, rows = run.paddedSize, isDelayed = false }: Success<Result>,
    batch: CompletedBatch,
    runMs: number,
  ): void {
    if (!isDelayed) this.#learn(run, rows, batch, runMs);
    const { search } = run;
    if (search !== null) {
      // A row with an error of its own may not have run: it has shown nothing of the group that failed.
      const ran = run.rows.filter((_, index) => !isError(results[index]));
      if (search.ended(null, ran)) this.#searches.push(search);
    }
    let requests = 0;
    for (const { standsFor } of run.rows) requests += standsFor?.sharers.size ?? 1;
    this.#listener.beforeAnswers(batch, requests);
    for (const [index, row] of run.rows.entries()) this.#tracker.answer(row, results[index]!, batch);
    // In later runs of the same search, this member is already settled, and this call has no effect.
    if (search?.culprit) this.#failRows([search.culprit.member], search.culprit.error);
  }

  /** @param size number of rows that the engine has run, those of others included */
  #learn(run: Run<Item, Result>, size: number, batch: CompletedBatch, runMs: number): void {
    const startedAtMs = batch.completedAtMs - runMs;
    if (!this.#slowRuns.isBelieved(startedAtMs, batch.completedAtMs, run)) return;
    const { volume, paddedSize, dispatchedAtMs } = run;
    const { inferenceMs } = batch;
    this.#cost.ran({ size, own: paddedSize, volume, runMs, inferenceMs, hasWaited: startedAtMs > dispatchedAtMs });
  }

  #failed(run: Run<Item, Result>, failure: BatchFailure): void {
    const { rows, search, paddedSize, volume } = run;
    const { error } = failure;
    const divisible = failure.divisible && this.#config.bisect !== false;
    if (divisible && !run.isAlone && !this.#limits.isTrusted) {
      this.#searches.push(new OneByOne(search?.unsettled ?? rows));
      return;
    }
    const isTooLarge = error instanceof FramebatchError && error.code === "OUT_OF_MEMORY";
    if (isTooLarge) this.#limits.foundNoMemory(paddedSize, volume);
    // A step that nobody waits for any more may have been stopped, which shows nothing: the search goes on.
    if (!divisible && search !== null && !rows.some(isWanted)) {
      if (search.ended(null, [])) this.#searches.push(search);
      return;
    }
    if (!divisible) return this.#failRows(search?.unsettled ?? rows, error);
    const next = search ?? (rows.length > 1 ? new (isTooLarge ? Halving : Bisection)(rows) : null);
    // Before any request rejects: its caller may dispose the batcher, which abandons only the searches in this list.
    if (next !== null && (search === null || search.ended(failure, rows))) this.#searches.push(next);
    if (rows.length === 1) this.#failRows(rows, error);
  }

  #failRows(rows: readonly Row<Item, Result>[], error: Error): void {
    for (const row of rows) this.#tracker.failRow(row, "failed", error);
  }
}

/** Returns how a batch of `expected` rows failed as a whole, or `null` if every row has its own outcome. */
function failureOf<Result>(outcome: Outcome<Result>, expected: number): BatchFailure | null {
  if ("error" in outcome) return outcome;
  const got = outcome.results.length;
  return expected === got ? null : { error: wrongLength(expected, got), divisible: true };
}

/**
 * Decides whether the time of a run shows what runs cost. A frozen tab, a sleeping computer or a blocked thread learns
 * of the end of a run late, and what seems to be its time is then that of the sleep. So the first slow run is not
 * believed. If the next run is slow too, that is what runs take.
 */
class SlowRuns {
  /** When the first slow run since the last one that was not slow ended, in milliseconds; `null` if there is none. */
  #firstEndedAtMs: number | null = null;

  /** @param run its predicted time, in milliseconds; 0 if unknown */
  isBelieved(startedAtMs: number, endedAtMs: number, run: { readonly expectedMs: number }): boolean {
    const tookMs = endedAtMs - startedAtMs;
    if (tookMs <= LONG_MS || tookMs <= TIMES_PREDICTED * run.expectedMs) {
      this.#firstEndedAtMs = null;
      return true;
    }
    this.#firstEndedAtMs ??= endedAtMs;
    // Runs that overlapped with the first one slept with it.
    return startedAtMs >= this.#firstEndedAtMs;
  }
}
