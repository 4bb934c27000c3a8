import { ModelEngine } from "../engine/model-engine.js";
import { sizeLimits } from "./batch-memory.js";
import { loadLater } from "./load-later.js";
import { costDataFrom, LearnedCosts, withVolumes, WorkerFindings } from "./worker-findings.js";
import type { LoadListener } from "./load-plan.js";
import type { ItemKind } from "./item-kind.js";
import { ModelEventTarget, asModelError, Warnings } from "./model-events.js";
import { type LoadWays, watchWays } from "../../ways/page/way-watch.js";
import { type BatcherOptions, batcherSettings } from "@framebatch/batcher/options/options.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { ProviderTrial } from "../options/model.js";
import type { LoadOptions } from "../options/options.js";
import { isOffline } from "@framebatch/host/page.js";
import { callUser } from "@framebatch/host/call-user.js";
import { after, createFrameClock, markSpan } from "@framebatch/host/host-timer.js";
import { type LoadPlan, openSession, type Sharing } from "../workers/model-session.js";
import { type PoolListener, WorkerPool } from "../workers/worker-pool.js";
import { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { ModelParts as PageParts } from "./page-model.js";
import type { CompletedBatch } from "@framebatch/batcher/queue/request.js";

/**
 * How long before a worker's predicted free time its next batch is dispatched, in milliseconds. Covers the time of the
 * message and a small error of the prediction. A request that arrives later joins the following batch.
 */
const HANDOVER_MS = 2;

/** The options that every model on workers has. */
export type CommonOptions = BatcherOptions & Pick<LoadOptions, "instances" | "onProgress" | "recurrent" | "signal">;

/** Returns how a model batches. A step that waits for a paint keeps the next one of its stream waiting, too. */
export function batchingOf(options: CommonOptions): ReturnType<typeof batcherSettings> {
  return batcherSettings(options, options.recurrent === undefined ? "frame" : "idle");
}

/** What a model on workers is made of. */
export interface ModelSetup<Input, Row, Output, Model> {
  readonly options: CommonOptions;
  /** See `planLoad`. */
  readonly planFor: (maxBatchSize: number, listener: LoadListener) => LoadPlan;
  /** The providers to try. */
  readonly providers: readonly ExecutionProvider[];
  /** Loads the code that compares the ways to run a model; `null` if they are not compared. */
  readonly loadWays: LoadWays | null;
  /** Returns what the model takes and returns, once its workers are ready. */
  readonly kindOf: (pool: WorkerPool) => ItemKind<Input, Row, Output>;
  /** Makes the object that the caller gets. */
  readonly modelOf: (parts: WorkerModelParts<Input, Row, Output>) => Model;
}

/** The connected parts of a model on workers. */
export interface WorkerModelParts<Input, Row, Output> extends PageParts<Input, Row, Output> {
  readonly queue: Batcher<Row, Output>;
  readonly pool: WorkerPool;
  readonly sharing: Sharing | null;
  /** See `ItemKind`. */
  readonly startSequence: ItemKind<Input, Row, Output>["startSequence"] | undefined;
  /** See `ItemKind`. */
  readonly openKept: ItemKind<Input, Row, Output>["openKept"] | undefined;
  /** The ways to run that were measured. */
  readonly measured: () => readonly ProviderTrial[];
}

/** Starts the workers of a model, and connects it with them. */
export async function openOnWorkers<Input, Row, Output, Model>(
  setup: ModelSetup<Input, Row, Output, Model>,
): Promise<Model> {
  const { options } = setup;
  const batching = batchingOf(options);
  const signal = options.signal ?? new AbortController().signal;
  const warnings = new Warnings();
  const largest = batching.release === "off" ? 1 : batching.maxBatchSize;
  const findings = new WorkerFindings((error) => warnings.add(error));
  const startedAtMs = performance.now();
  let arrivedAtMs = startedAtMs;
  const plan = setup.planFor(largest, {
    onWarning: (error) => warnings.add(error),
    onTimed: (run) => findings.onTimed(run),
    onArrived: () => (arrivedAtMs = performance.now()),
  });
  const pool = await WorkerPool.start(plan, setup.providers, options.instances ?? 1, signal);
  const timeline = new Timeline();
  timeline.loaded(startedAtMs, performance.now());
  try {
    const loadMs = performance.now() - arrivedAtMs;
    const parts = { options, batching, warnings, findings, timeline, plan, loadMs, loadWays: setup.loadWays };
    const model = setup.modelOf(assemble(pool, setup.kindOf(pool), parts));
    callUser(options.onProgress, readyProgress(pool));
    return model;
  } catch (error) {
    pool.dispose(error);
    throw error;
  }
}

/**
 * The parts that a model has before its workers are ready, and how long these took after the download, in milliseconds.
 */
interface EarlyParts {
  readonly options: CommonOptions;
  readonly batching: ReturnType<typeof batcherSettings>;
  readonly warnings: Warnings;
  readonly findings: WorkerFindings;
  readonly timeline: Timeline;
  readonly plan: LoadPlan;
  readonly loadMs: number;
  readonly loadWays: LoadWays | null;
}

/** Connects the parts of a model whose workers are ready. */
function assemble<Input, Row, Output>(
  pool: WorkerPool,
  kind: ItemKind<Input, Row, Output>,
  { options, batching, warnings, findings, timeline, plan, loadMs, loadWays }: EarlyParts,
): WorkerModelParts<Input, Row, Output> {
  const { clock, files, sharing, request } = plan;
  const isKept = request.cache && files.hasAddress;
  const { signature, states = [], timings, costs } = pool.session.model;
  const { admit, prepare, volumes, onRetiring, startSequence, endSequences, openKept, ...hooks } = kind;
  const events = new ModelEventTarget();
  const frames = createFrameClock();
  const learned = new LearnedCosts(
    () => withVolumes(ways?.comparison?.ownCosts ?? batcher.costData(), 1 / (volumes.factor ?? 1)),
    (data) => pool.session.client.learn({ costs: data }),
  );
  const ways = watchWays({ pool, plan, loadMs, batcher: () => batcher, open: openSession }, loadWays);
  let hasLater = false;
  const batcher = new Batcher<Row, Output>({
    ...batching,
    ...sizeLimits(signature, options, batching.maxBatchSize, states),
    ...hooks,
    clock,
    frames,
    isTrusted: false,
    engine: new ModelEngine(prepare, ways ?? pool, findings, timeline),
    engines: pool.slots.length,
    handoverMs: HANDOVER_MS,
    onBatch: (batch) => {
      timeline.ended(batch);
      ways?.comparison?.batchEnded();
      if (isKept) learned.onBatch();
      events.dispatch("batch", batch);
      hasLater ||= startLater();
    },
    onError: (error) => events.dispatch("error", asModelError(error)),
  });
  volumes.whenKnown((factor) => batcher.restore(withVolumes(costDataFrom(timings, costs), factor)));
  findings.applyTo(batcher, volumes);
  findings.read(pool);
  pool.listen(poolListener(pool, findings, events, batcher, onRetiring));
  if (isKept) learned.saveWhenHidden(frames, events);
  events.add("statechange", ({ detail }) => {
    ways?.comparison?.stateChanged(detail.state);
    if (detail.state === "disposed") endSequences?.();
  });
  warnings.reportTo(events);
  const measured = () => ways?.comparison?.trials ?? pool.session.model.ways?.trials ?? [];
  return { signature, admit, events, clock, queue: batcher, pool, sharing, measured, startSequence, openKept };
}

/**
 * Starts to load the rest of a model's code, and returns true, if there is a network: what a browser has failed to
 * load, it may not try again in the same page. Who needs the code reports a failure.
 */
function startLater(): boolean {
  if (isOffline()) return false;
  loadLater().catch(() => undefined);
  return true;
}

/** Applies the events of a pool to the batcher of its model. */
function poolListener(
  pool: WorkerPool,
  findings: WorkerFindings,
  events: ModelEventTarget,
  batcher: Pick<Batcher<unknown, unknown>, "pause" | "resume" | "forgetResults">,
  onRetiring: PoolListener["onRetiring"],
): PoolListener {
  return {
    // Batches that are safe on one backend may be unsafe on its replacement.
    onVerdict: () => findings.read(pool),
    onRetiring,
    onWay: ({ provider, numThreads }, reason) => {
      batcher.forgetResults();
      events.dispatch("providerchange", { executionProvider: provider, numThreads, reason });
    },
    onLoss: (error) => events.dispatch("error", error),
    onState: (state, error) => {
      if (state === "recovering" || state === "unloaded") batcher.pause();
      else batcher.resume();
      events.dispatch("statechange", { state, error });
    },
  };
}

function readyProgress(pool: WorkerPool) {
  const { modelBytes } = pool.session.model;
  return { phase: "ready", loadedBytes: modelBytes, totalBytes: modelBytes } as const;
}

/** Maximum delay of the marks of a batch, in milliseconds. */
const MAX_MARK_DELAY_MS = 100;

/**
 * Marks spans for the browser's performance panel. A mark costs as much time as all other page work for a small batch.
 * So the marks of batches wait until the worker has its next batch, or for `MAX_MARK_DELAY_MS` if there is none: no
 * request waits for the page's thread then.
 */
class Timeline {
  #ended: CompletedBatch[] = [];
  #isTimerSet = false;

  /** Marks the loading of the model. Times are in milliseconds on the time line of `performance.now()`. */
  loaded(startMs: number, endMs: number): void {
    markSpan("framebatch load", startMs, endMs);
  }

  /** Notes a batch that has ended, to be marked later. */
  ended(batch: CompletedBatch): void {
    this.#ended.push(batch);
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    after(MAX_MARK_DELAY_MS, () => {
      this.#isTimerSet = false;
      this.markEnded();
    });
  }

  /** Marks the batches that have ended since the last call. */
  markEnded(): void {
    for (const { size, reason, dispatchedAtMs, completedAtMs } of this.#ended) {
      markSpan(`framebatch batch of ${size} (${reason})`, dispatchedAtMs, completedAtMs);
    }
    this.#ended = [];
  }
}
