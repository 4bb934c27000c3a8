import { after } from "../../time/host-timer.js";
import { ModelEngine } from "../engine/model-engine.js";
import { sizeLimits } from "./batch-memory.js";
import { WorkerBackedModel } from "./batched-model.js";
import { LearnedCosts, costDataFrom } from "./learned-costs.js";
import { DEFAULT_PROVIDERS, planLoad, type WorkerSites } from "./load-plan.js";
import { type ItemKind, watched } from "./item-kind.js";
import { ModelEventTarget, asModelError } from "./model-events.js";
import { tensorItems } from "./tensor-items.js";
import { Timeline } from "./timeline.js";
import { WorkerFindings } from "./worker-findings.js";
import { resolveBatcherOptions } from "../options/batcher-options.js";
import type { Item, Outputs } from "../options/model.js";
import { checkModelOptions } from "../options/model-options.js";
import type { KeptSource } from "../options/model-source.js";
import type { LoadOptions, ModelOptions } from "../options/options.js";
import { callUser } from "../page/call-user.js";
import { createFrameClock } from "../page/frame-clock.js";
import type { LoadPlan } from "../workers/model-session.js";
import { WorkerPool } from "../workers/worker-pool.js";
import type { BuiltInSite } from "../workers/worker-site.js";
import { Batcher } from "../../core/batcher/batcher.js";
import { Collator } from "../../core/collate/collator.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import { FramebatchError } from "../../core/errors.js";

/**
 * How long before a worker's predicted free time its next batch is dispatched, in milliseconds. Covers the time of the
 * message and a small error of the prediction. A request that arrives later joins the following batch.
 */
const HANDOVER_MS = 2;

/**
 * Creates a model of tensors, as `createBatchedModel` does.
 * @param site the site of the worker in this build
 * @param onUse called at each request, before it is queued
 * @throws the errors of `createBatchedModel`
 */
export async function createModelAt(
  site: BuiltInSite,
  source: KeptSource,
  options: ModelOptions = {},
  onUse?: () => void,
): Promise<WorkerBackedModel<Item, PreparedItem, Outputs>> {
  checkModelOptions(options);
  return createWith({ site, served: null }, source, options, ({ session: { model } }) =>
    watched(tensorItems(new Collator(model.signature, model.padding, options.validate), options), onUse),
  );
}

/** Creates a model. @param kindOf returns what the model takes and returns, once its workers are ready */
export async function createWith<Input, Row, Output, Reply extends { readonly inferenceMs: number }>(
  sites: WorkerSites,
  source: KeptSource,
  options: LoadOptions,
  kindOf: (pool: WorkerPool) => ItemKind<Input, Row, Output, Reply>,
): Promise<WorkerBackedModel<Input, Row, Output>> {
  const batching = resolveBatcherOptions(options);
  const signal = options.signal ?? new AbortController().signal;
  const warnings = new Warnings();
  const largest = batching.release === "off" ? 1 : batching.maxBatchSize;
  const findings = new WorkerFindings((error) => warnings.add(error));
  const plan = planLoad(source, options, largest, sites, {
    onWarning: (error) => warnings.add(error),
    onTimed: (run) => findings.onTimed(run),
  });
  const providers = options.executionProviders ?? DEFAULT_PROVIDERS;
  const startedAtMs = performance.now();
  const pool = await WorkerPool.start(plan, providers, options.instances ?? 1, signal);
  const timeline = new Timeline();
  timeline.loaded(startedAtMs, performance.now());
  try {
    const model = assemble(pool, kindOf(pool), options, batching, warnings, findings, timeline, plan);
    callUser(options.onProgress, readyProgress(pool));
    return model;
  } catch (error) {
    pool.dispose(error);
    plan.clock.close();
    throw error;
  }
}

/** Connects the parts of a model whose workers are ready. */
function assemble<Input, Row, Output, Reply extends { readonly inferenceMs: number }>(
  pool: WorkerPool,
  kind: ItemKind<Input, Row, Output, Reply>,
  options: LoadOptions,
  batching: ReturnType<typeof resolveBatcherOptions>,
  warnings: Warnings,
  findings: WorkerFindings,
  timeline: Timeline,
  { clock, files, request: { cache } }: LoadPlan,
): WorkerBackedModel<Input, Row, Output> {
  const isKept = cache && files.hasAddress;
  const { signature, timings, costs } = pool.session.model;
  const { admit, prepare, onLoss, ...hooks } = kind;
  const events = new ModelEventTarget();
  const frames = createFrameClock();
  const learned = new LearnedCosts(
    () => batcher.costData(),
    (data) => pool.session.client.learn(data),
  );
  const limits = { ...batching, ...sizeLimits(signature, options, batching.maxBatchSize) };
  const batcher = new Batcher<Row, Output>({
    ...limits,
    ...hooks,
    clock,
    frames,
    isTrusted: false,
    engine: new ModelEngine(
      prepare,
      pool,
      (isAlone) => findings.refusal(isAlone),
      () => timeline.markEnded(),
    ),
    engines: pool.slots.length,
    handoverMs: HANDOVER_MS,
    costData: costDataFrom(timings, costs),
    onBatch: (batch) => {
      timeline.ended(batch);
      if (isKept) learned.onBatch();
      events.dispatch("batch", batch);
    },
    onError: (error) => events.dispatch("error", asModelError(error)),
  });
  findings.tell(batcher);
  findings.look(pool);
  pool.listen({
    // Batches that are safe on one backend may be unsafe on its replacement.
    onVerdict: () => findings.look(pool),
    onLoss: (error) => {
      onLoss();
      events.dispatch("error", error);
    },
    onState: (state, error) => {
      if (state === "recovering" || state === "unloaded") batcher.pause();
      else batcher.resume();
      events.dispatch("statechange", { state, error });
    },
  });
  if (isKept) learned.saveWhenHidden(frames, events);
  warnings.pourInto(events);
  return new WorkerBackedModel({ signature, admit, batcher, events, clock }, pool);
}

function readyProgress(pool: WorkerPool) {
  const { modelBytes } = pool.session.model;
  return { phase: "ready", loadedBytes: modelBytes, totalBytes: modelBytes } as const;
}

/**
 * Reports warnings as events of the model. Collects those from before the model exists, and dispatches them in a later
 * task, so that the user can add listeners first.
 */
class Warnings {
  readonly #early: FramebatchError[] = [];
  #events: ModelEventTarget | null = null;

  add(error: Error): void {
    const warning =
      error instanceof FramebatchError
        ? error
        : new FramebatchError("CACHE_FAILED", error.message, { cause: error.cause });
    if (this.#events === null) this.#early.push(warning);
    else this.#events.dispatch("error", warning);
  }

  pourInto(events: ModelEventTarget): void {
    this.#events = events;
    after(0, () => {
      for (const warning of this.#early) events.dispatch("error", warning);
    });
  }
}
