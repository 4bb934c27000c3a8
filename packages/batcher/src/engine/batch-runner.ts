import type { BatchLimits } from "./batch-limits.js";
import { Bisection } from "./bisection.js";
import type { CostModel } from "../cost/cost-model.js";
import { enclosing, ownVolume, volumeOf } from "../queue/shape.js";
import type { Outcome, WhenUnwanted } from "./engine.js";
import type { ReleaseReason } from "../decide/release-reason.js";
import { FramebatchError } from "../errors/errors.js";
import { type Guard, nobody } from "../errors/guard.js";
import { isError } from "../errors/is-error.js";
import { Halving, OneByOne, type Search } from "./failure-search.js";
import { backgroundMs } from "./background-cost.js";
import { type EngineLoad, InFlight, type InFlightBatch, Overhead } from "./in-flight.js";
import { isWanted, type QueuedRequest } from "../queue/queued-request.js";
import { OpenSet } from "../queue/open-set.js";
import { type BatchFailure, failureOf, type Success } from "./run-outcome.js";
import { brokenBy } from "../requests/request-errors.js";
import type { CompletedBatch, Origin } from "../queue/request.js";
import type { RequestTracker } from "../requests/request-tracker.js";
import type { RunnerConfig } from "./runner-config.js";
import { SlowRuns } from "./slow-runs.js";

type Row<Item, Result> = QueuedRequest<Item, Result>;

/** A batch that the engine runs. */
interface Run<Item, Result> {
  readonly id: number;
  readonly rows: readonly Row<Item, Result>[];
  readonly volume: number;
  readonly paddedSize: number;
  /** `Batch` documents this. */
  readonly isAlone: boolean;
  readonly reason: ReleaseReason;
  readonly flight: InFlightBatch;
  /** The failure search of which this run is a step; `null` for an ordinary batch. */
  readonly search: Search<Row<Item, Result>> | null;
  /** Called once when no row needs its answer any more; `null` if the engine has set no callback. */
  onUnwanted: (() => void) | null;
}

type Started<Item, Result> = Pick<Run<Item, Result>, "rows" | "paddedSize" | "volume" | "reason">;

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
  readonly #inFlight: InFlight;
  readonly #overhead = new Overhead();
  readonly #slowRuns = new SlowRuns();
  readonly #runs = new OpenSet<Run<Item, Result>>();
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
    this.#inFlight = new InFlight(config.engines ?? 1);
  }

  /** Number of batches in flight. */
  get size(): number {
    return this.#inFlight.size;
  }

  /** Numbers of batches in flight and of their rows. */
  get running(): { readonly batches: number; readonly rows: number } {
    let rows = 0;
    for (const run of this.#runs) rows += run.rows.length;
    return { batches: this.size, rows };
  }

  /** Time of a run outside inference. */
  get overhead(): Pick<Overhead, "ms" | "hiddenMs"> {
    return this.#overhead;
  }

  /** Whether a failure search waits for its next step. */
  get isSearching(): boolean {
    return this.#searches.length > 0;
  }

  /** What the batches in flight ask of the engine. */
  get load(): EngineLoad {
    return this.#inFlight;
  }

  /** Counts the batches in flight in statistics that have just been reset. */
  recount(nowMs: number): void {
    for (const run of this.#runs) this.#countStart(run, nowMs, false);
  }

  run(rows: readonly Row<Item, Result>[], extents: readonly number[], reason: ReleaseReason): void {
    this.#start(rows, extents, reason, null);
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
    if (rows.length > 0) this.#start(rows, rows.map((row) => row.shape.extents).reduce(enclosing), "retry", search);
    this.#searches.shift();
    return true;
  }

  /** Tells the engine of every run that no request waits for any more. Called when a running request has left. */
  requestLeft(): void {
    for (const run of this.#runs) {
      const { onUnwanted } = run;
      if (onUnwanted === null || run.rows.some(isWanted)) continue;
      run.onUnwanted = null;
      this.#guard.run(onUnwanted, nobody);
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
    const rows = [...this.#runs].flatMap((run) => [...run.rows, ...(run.search?.unsettled ?? [])]);
    return [...rows, ...this.giveUpSearches()];
  }

  #start(
    rows: readonly Row<Item, Result>[],
    extents: readonly number[],
    reason: ReleaseReason,
    search: Search<Row<Item, Result>> | null,
  ): void {
    const nowMs = this.#config.clock.now();
    const { isAlone, sizes, paddedSize } = this.#layOut(rows, extents);
    const volume = volumeOf(sizes);
    const id = ++this.#batches;
    const predictedMs = this.#cost.longest(rows.length, volume);
    const batch = { id, items: rows.map(({ item }) => item), paddedSize, extents: sizes, isAlone, reason, predictedMs };
    this.#countStart({ rows, paddedSize, volume, reason }, nowMs, this.#inFlight.size === 0);
    const runMs = this.#cost.predict(rows.length, volume);
    const flight = this.#inFlight.dispatched(nowMs, runMs, backgroundMs(this.#cost, rows, volume));
    const run: Run<Item, Result> = { id, rows, volume, paddedSize, isAlone, reason, flight, search, onUnwanted: null };
    this.#runs.add(run);
    const done = (outcome: Outcome<Result>): void => this.#ended(run, outcome);
    const whenUnwanted: WhenUnwanted = (callback) => (run.onUnwanted = callback);
    this.#guard.run(
      () => this.#config.engine.run(batch, done, whenUnwanted),
      (error) => {
        this.#tracker.soon(() => done({ error, divisible: true }));
        return rows.length;
      },
    );
    this.#listener.started();
  }

  /** Determines the size of a run. A single item keeps its own size if batches are not trusted or batching is off. */
  #layOut(rows: readonly Row<Item, Result>[], extents: readonly number[]) {
    const { allowedBatchSizes, fixedBatchSize = 1, release } = this.#config;
    const { isTrusted } = this.#limits;
    const allowedSize = allowedBatchSizes?.find((size) => size >= rows.length) ?? rows.length;
    const [first] = rows;
    if (first === undefined || rows.length > 1 || (isTrusted && release !== "off"))
      return { isAlone: false, sizes: extents, paddedSize: allowedSize };
    const paddedSize = isTrusted ? allowedSize : fixedBatchSize;
    return { isAlone: true, sizes: first.shape.ownExtents ?? first.shape.extents, paddedSize };
  }

  #countStart({ rows, paddedSize, volume, reason }: Started<Item, Result>, nowMs: number, wasIdle: boolean): void {
    const usedVolume = rows.reduce((sum, { shape }) => sum + ownVolume(shape), 0);
    const computedVolume = paddedSize * volume;
    this.#tracker.statistics.batchDispatched({ size: rows.length, reason, usedVolume, computedVolume, wasIdle, nowMs });
  }

  #ended(run: Run<Item, Result>, outcome: Outcome<Result>): void {
    // Only the first outcome counts: an engine that throws while it starts a batch may still answer it.
    if (!this.#runs.delete(run)) return;
    this.#guard.run(
      () => this.#conclude(run, outcome),
      (error) => this.#lost(run, error),
    );
    if (!this.#isAbandoned) this.#listener.afterAnswers();
  }

  #conclude(run: Run<Item, Result>, outcome: Outcome<Result>): void {
    const nowMs = this.#config.clock.now();
    const runMs = this.#inFlight.ended(run.flight, nowMs);
    const failure = failureOf(outcome, run.rows.length);
    const isIdleNow = this.#inFlight.size === 0;
    const inferenceMs = "results" in outcome ? (outcome.inferenceMs ?? runMs) : runMs;
    // Answers that the page handles together seem to have taken no time, but for the first of them.
    const tookMs = Math.max(runMs, inferenceMs);
    this.#tracker.statistics.batchEnded({ runMs: tookMs, hasFailed: failure !== null, isIdleNow, nowMs });
    if (this.#isAbandoned) return;
    const batch = completedBatchOf(run, this.#config.origin ?? "device", inferenceMs, nowMs);
    if (failure !== null) this.#failed(run, failure);
    else if ("results" in outcome) this.#succeeded(run, outcome, batch, runMs);
    this.#guard.run(() => this.#config.onBatch?.(batch), nobody);
  }

  /**
   * Rejects the rows of a run whose answer could not be processed. The remaining rows of its failure search are
   * rejected too, and are not run again.
   */
  #lost({ flight, rows, search }: Run<Item, Result>, cause: Error): number {
    this.#inFlight.ended(flight, flight.dispatchedAtMs);
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
    // A row with an error of its own may not have run: it has shown nothing of the group that failed.
    const ran = run.rows.filter((_, index) => !isError(results[index]));
    if (search?.ended(null, ran)) this.#searches.push(search);
    const requests = run.rows.reduce((sum, { standsFor }) => sum + (standsFor?.sharers.size ?? 1), 0);
    this.#listener.beforeAnswers(batch, requests);
    for (const [index, row] of run.rows.entries()) this.#tracker.answer(row, results[index]!, batch);
    // In later runs of the same search, this member is already settled, and this call has no effect.
    if (search?.culprit) this.#failRows([search.culprit.member], search.culprit.error);
  }

  /** @param rows number of rows that the engine has run, those of others included */
  #learn({ flight, volume, paddedSize }: Run<Item, Result>, rows: number, batch: CompletedBatch, runMs: number): void {
    const startedAtMs = batch.completedAtMs - runMs;
    if (!this.#slowRuns.isBelieved(startedAtMs, batch.completedAtMs, flight.predictedMs)) return;
    const wholeMs = this.#overhead.wholeMs(runMs, batch.inferenceMs, startedAtMs > batch.dispatchedAtMs);
    // A batch of which nothing ran shows no cost.
    if (rows > 0) this.#cost.observe(rows, volume, wholeMs, paddedSize);
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

function completedBatchOf<Item, Result>(
  run: Run<Item, Result>,
  origin: Origin,
  inferenceMs: number,
  nowMs: number,
): CompletedBatch {
  return {
    id: run.id,
    origin,
    size: run.rows.length,
    paddedSize: run.paddedSize,
    reason: run.reason,
    dispatchedAtMs: run.flight.dispatchedAtMs,
    completedAtMs: nowMs,
    inferenceMs,
  };
}
