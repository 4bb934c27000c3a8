import { ModelEngine } from "../engine/model-engine.js";
import { sizeLimits } from "./batch-memory.js";
import { WorkerBackedModel } from "./batched-model.js";
import { LearnedCosts, costDataFrom, withVolumes } from "./learned-costs.js";
import { type LoadWays, planLoad, type TensorSites, type WorkerSites } from "./load-plan.js";
import { type ItemKind, watched } from "./item-kind.js";
import { ModelEventTarget, asModelError } from "./model-events.js";
import { tensorItems } from "./tensor-items.js";
import { Timeline } from "./timeline.js";
import { Warnings } from "./warnings.js";
import type { WayComparison } from "./way-comparison.js";
import { WayWatch } from "./way-watch.js";
import { WorkerFindings } from "./worker-findings.js";
import { resolveBatcherOptions } from "../options/batcher-options.js";
import type { Item, Outputs } from "../options/model.js";
import { checkModelOptions } from "../options/model-options.js";
import { checkFilesOf, providersOf } from "../options/files-by-provider.js";
import type { KeptModel } from "../options/model-source.js";
import type { LoadOptions, ModelOptions } from "../options/options.js";
import { callUser } from "../page/call-user.js";
import { createFrameClock } from "../page/frame-clock.js";
import type { LoadPlan } from "../workers/model-session.js";
import { type PoolListener, WorkerPool } from "../workers/worker-pool.js";
import { Batcher } from "../../core/batcher/batcher.js";
import { Collator } from "../../core/collate/collator.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";

/**
 * How long before a worker's predicted free time its next batch is dispatched, in milliseconds. Covers the time of the
 * message and a small error of the prediction. A request that arrives later joins the following batch.
 */
const HANDOVER_MS = 2;

/**
 * Creates a model of tensors, as `createBatchedModel` does.
 * @param onUse called at each request, before it is queued
 * @throws the errors of `createBatchedModel`
 */
export async function createModelAt(
  sites: TensorSites,
  source: KeptModel,
  options: ModelOptions = {},
  onUse?: () => void,
): Promise<WorkerBackedModel<Item, PreparedItem, Outputs>> {
  checkModelOptions(options);
  return createWith({ ...sites, served: null }, source, options, ({ session: { model } }) =>
    watched(tensorItems(new Collator(model.signature, model.padding, options.validate), options), onUse),
  );
}

/** Creates a model. @param kindOf returns what the model takes and returns, once its workers are ready */
export async function createWith<Input, Row, Output, Reply extends { readonly inferenceMs: number }>(
  sites: WorkerSites,
  source: KeptModel,
  options: LoadOptions,
  kindOf: (pool: WorkerPool) => ItemKind<Input, Row, Output, Reply>,
): Promise<WorkerBackedModel<Input, Row, Output>> {
  const batching = resolveBatcherOptions(options);
  checkFilesOf(source, options);
  const signal = options.signal ?? new AbortController().signal;
  const warnings = new Warnings();
  const largest = batching.release === "off" ? 1 : batching.maxBatchSize;
  const findings = new WorkerFindings((error) => warnings.add(error));
  const plan = planLoad(source, options, largest, sites, {
    onWarning: (error) => warnings.add(error),
    onTimed: (run) => findings.onTimed(run),
  });
  const startedAtMs = performance.now();
  const pool = await WorkerPool.start(plan, providersOf(options, source), options.instances ?? 1, signal);
  const timeline = new Timeline();
  timeline.loaded(startedAtMs, performance.now());
  try {
    const loadMs = performance.now() - startedAtMs;
    const parts = { options, batching, warnings, findings, timeline, plan, loadMs, loadWays: sites.loadWays ?? null };
    const model = assemble(pool, kindOf(pool), parts);
    callUser(options.onProgress, readyProgress(pool));
    return model;
  } catch (error) {
    pool.dispose(error);
    throw error;
  }
}

/** The parts that a model has before its workers are ready, and how long these took, in milliseconds. */
interface ModelParts {
  readonly options: LoadOptions;
  readonly batching: ReturnType<typeof resolveBatcherOptions>;
  readonly warnings: Warnings;
  readonly findings: WorkerFindings;
  readonly timeline: Timeline;
  readonly plan: LoadPlan;
  readonly loadMs: number;
  readonly loadWays: LoadWays | null;
}

/** Connects the parts of a model whose workers are ready. */
function assemble<Input, Row, Output, Reply extends { readonly inferenceMs: number }>(
  pool: WorkerPool,
  kind: ItemKind<Input, Row, Output, Reply>,
  { options, batching, warnings, findings, timeline, plan, loadMs, loadWays }: ModelParts,
): WorkerBackedModel<Input, Row, Output> {
  const { clock, files, sharing, request } = plan;
  const isKept = request.cache && files.hasAddress;
  const { signature, timings, costs } = pool.session.model;
  const { admit, prepare, volumes, onLoss, onRetiring, ...hooks } = kind;
  const events = new ModelEventTarget();
  const frames = createFrameClock();
  const learned = new LearnedCosts(
    () => withVolumes(batcher.costData(), 1 / (volumes.factor ?? 1)),
    (data) => pool.session.client.learn({ costs: data }),
  );
  const compareWays = async (load: LoadWays): Promise<WayComparison> =>
    (await load()).compareWays(pool, plan, loadMs, batcher);
  const ways =
    loadWays !== null && isKept && hasOtherWays(pool, plan)
      ? new WayWatch(() => compareWays(loadWays), pool.session.model.ways?.trials ?? [])
      : null;
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
      ways,
    ),
    engines: pool.slots.length,
    handoverMs: HANDOVER_MS,
    onBatch: (batch) => {
      timeline.ended(batch);
      if (isKept) learned.onBatch();
      ways?.computed(batch);
      events.dispatch("batch", batch);
    },
    onError: (error) => events.dispatch("error", asModelError(error)),
  });
  volumes.whenKnown((factor) => batcher.restore(withVolumes(costDataFrom(timings, costs), factor)));
  findings.tell(batcher, volumes);
  findings.look(pool);
  pool.listen(poolListener(pool, findings, events, batcher, { onLoss, onRetiring }));
  if (isKept) learned.saveWhenHidden(frames, events);
  events.add("statechange", ({ detail }) => detail.state === "disposed" && ways?.dispose());
  warnings.reportTo(events);
  const measured = () => ways?.trials ?? pool.session.model.ways?.trials ?? [];
  return new WorkerBackedModel({ signature, admit, events, clock }, batcher, pool, sharing, measured);
}

/** Applies the events of a pool to the batcher of its model. */
function poolListener(
  pool: WorkerPool,
  findings: WorkerFindings,
  events: ModelEventTarget,
  batcher: Pick<Batcher<unknown, unknown>, "pause" | "resume">,
  { onLoss, onRetiring }: Pick<ItemKind<unknown, unknown, unknown, never>, "onLoss" | "onRetiring">,
): PoolListener {
  return {
    // Batches that are safe on one backend may be unsafe on its replacement.
    onVerdict: () => findings.look(pool),
    onRetiring,
    onLoss: (error) => {
      onLoss();
      events.dispatch("error", error);
    },
    onState: (state, error) => {
      if (state === "recovering" || state === "unloaded") batcher.pause();
      else batcher.resume();
      events.dispatch("statechange", { state, error });
    },
  };
}

/**
 * Whether the model may run in another way that can be compared with its own. A worker with handlers would need the items
 * a second time, and a rewritten model its check.
 */
function hasOtherWays({ session: { model } }: WorkerPool, { request, sharing }: LoadPlan): boolean {
  return model.otherWays.length > 0 && !request.hasHandlers && !model.isRebatched && sharing === null;
}

function readyProgress(pool: WorkerPool) {
  const { modelBytes } = pool.session.model;
  return { phase: "ready", loadedBytes: modelBytes, totalBytes: modelBytes } as const;
}
