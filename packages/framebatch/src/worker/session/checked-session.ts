import type { ExecutionProvider } from "../../core/providers.js";
import type { InferenceSession } from "onnxruntime-web/wasm";
import { resolveSignature } from "../../core/model/batch-axis.js";
import type { ModelSignature } from "../../core/model/signature.js";
import { planPadding, type PaddingPlan } from "../../core/padding/plan.js";
import type { BatchCheck, LoadRequest } from "../../transport/protocol.js";
import type { Facts } from "../../store/model-facts.js";
import { checkGenerated, checkItems, type CheckSubject, type Finding } from "../verify/batch-check.js";
import { UNREADABLE, readGraph, type GraphReading } from "../graph/graph-reading.js";
import { rowsIn } from "../samples/items.js";
import type { RunFeeds } from "../verify/row-runs.js";
import { endsWorker } from "../ort/runtime-error.js";
import type { Runtime } from "../ort/runtime-handover.js";
import { readSamples, type Samples } from "../samples/samples.js";
import { fromOutputs, toFeeds } from "../ort/tensor-bridge.js";
import { warmUp, type WarmUpResult } from "./warm-up.js";

/** Number of items that a check compares if time allows. */
const MANY_ITEMS = 4;
/** Number of items that a check compares otherwise. */
const FEW_ITEMS = 2;

/** Everything needed to create the sessions of one model. */
export interface SessionMaker {
  readonly runtime: Runtime;
  readonly provider: ExecutionProvider;
  readonly request: LoadRequest;
  readonly bytes: ArrayBuffer;
  readonly known: Facts;
  create(bytes: Uint8Array): Promise<InferenceSession>;
  /** Resolves when it is certain that the last run has succeeded. @throws the error of a run that has failed */
  readonly settled: () => Promise<void>;
  /** Returns the user's samples as tensors. @throws HANDLER_FAILED */
  readonly samplesFor: (signature: ModelSignature) => Promise<readonly unknown[]>;
  /** Called before and after each run of a check, with the numbers of the notice "checking". */
  readonly onChecking: (rows: number) => void;
}

/** A session after its warm-up, and the inputs that its model accepts. */
export interface WarmSession {
  readonly session: InferenceSession;
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly samples: Samples | null;
  readonly warmedUp: WarmUpResult;
  readonly graph: GraphReading;
}

/** A session with the result of the check of its batches. */
export interface CheckedSession extends WarmSession {
  readonly batchCheck: BatchCheck;
  /**
   * The check for which there was no time; `null` if none is pending. `run` runs feeds on this session, in queue order.
   */
  readonly laterCheck: ((run: RunFeeds) => Promise<Finding>) | null;
  /** Runs single items until a rewritten model has passed its check; `null` if `session` runs everything. */
  readonly original: InferenceSession | null;
  readonly isRebatched: boolean;
}

/**
 * Creates a session and warms it up. Calls `onMade` in between.
 *
 * @throws the errors of ONNX Runtime, `resolveSignature`, `planPadding`, `readSamples` and `warmUp`
 */
export async function createWarm(
  maker: SessionMaker,
  bytes: Uint8Array,
  onMade: () => void = () => undefined,
): Promise<WarmSession> {
  const session = await maker.create(bytes);
  onMade();
  try {
    const { batchAxis, padding: asked } = maker.request;
    const signature = resolveSignature(session.inputMetadata, session.outputMetadata, batchAxis);
    const padding = planPadding(signature, asked);
    const samples = readSamples(signature, padding, await maker.samplesFor(signature));
    const hasFailed = maker.known.batchCheck?.outcome === "failed";
    const request = hasFailed ? { ...maker.request, maxBatchSize: 1 } : maker.request;
    const warmedUp = await warmUp({ ...maker, session, signature, padding, samples }, request);
    const graph = isUndecided(maker) ? readGraph(bytes, signature) : UNREADABLE;
    return { session, signature, padding, samples, warmedUp, graph };
  } catch (thrown) {
    if (!endsWorker(thrown)) await session.release();
    throw thrown;
  }
}

/** Returns true if a check may still be made. Otherwise, reading the graph would only cost time. */
function isUndecided({ request, known: { batchCheck } }: SessionMaker): boolean {
  return request.verifyBudgetMs !== null && (batchCheck === null || batchCheck.outcome === "inconclusive");
}

/**
 * Checks whether a batch returns the same outputs as its items run one by one. Uses the result of an earlier session if
 * there is one. Otherwise compares samples or generated items, as far as there is time before the model is ready. If that
 * is not enough, the outcome is "inconclusive" and remains pending.
 *
 * Checks a model with a fixed batch of several rows, or a rewritten model, at once, however long it takes.
 *
 * @param original session of the original model, which runs the items of a rewritten model one by one
 * @throws an error that ends the worker
 */
export async function checkSession(
  maker: SessionMaker,
  warm: WarmSession,
  original: WarmSession | null = null,
): Promise<CheckedSession> {
  const { verifyBudgetMs } = maker.request;
  if (verifyBudgetMs === null) return unchecked(warm, "skipped", "not checked, as asked");
  if (mostRowsOf(maker, warm) === 1) return unchecked(warm, "skipped", "batches are of one item");
  const known = maker.known.batchCheck;
  if (known !== null) return { ...unchecked(warm, "skipped", ""), batchCheck: { ...known, fromCache: true } };
  // A check that the graph decides needs no run.
  const isInGraph = warm.graph.mixing !== null;
  if (warm.warmedUp.isProvisional && !isInGraph)
    return unchecked(warm, "inconclusive", "not checked yet: no generated item runs");
  const isUrgent = isInGraph || original !== null || warm.signature.fixedBatch !== null;
  const count = itemsWithin(verifyBudgetMs, original ?? warm);
  if (count === 0 && !isUrgent) {
    const laterCheck = (run: RunFeeds) => checkBatches(subjectOf(maker, warm, run, run), warm.samples, FEW_ITEMS);
    return { ...unchecked(warm, "inconclusive", "not checked yet: it would take longer than its budget"), laterCheck };
  }
  const runs = [runOn(maker, original ?? warm), runOn(maker, warm)] as const;
  const { outcome, reason } = await checkBatches(subjectOf(maker, warm, ...runs), warm.samples, count || FEW_ITEMS);
  return unchecked(warm, outcome, reason);
}

/** Returns a session with an outcome that is already known. */
export function unchecked(warm: WarmSession, outcome: BatchCheck["outcome"], reason: string): CheckedSession {
  const batchCheck: BatchCheck = { outcome, reason, fromCache: false };
  return { ...warm, batchCheck, laterCheck: null, original: null, isRebatched: false };
}

/** Returns the subject for a check of real items, on the session that the worker uses. */
export function subjectFor(
  warm: WarmSession & { readonly provider: ExecutionProvider },
  maxBatchSize: number,
  run: RunFeeds,
): CheckSubject {
  return subjectOf({ provider: warm.provider, request: { maxBatchSize } }, warm, run, run);
}

function checkBatches(subject: CheckSubject, samples: Samples | null, count: number): Promise<Finding> {
  return samples === null ? checkGenerated(subject, count) : checkItems(subject, samples.items);
}

/**
 * Returns the number of items that can be compared within the budget; 0 if none. A check of n items runs each alone and
 * n + 1 batches of n, none of which takes longer than its items take alone.
 */
function itemsWithin(budgetMs: number, { warmedUp: { runMs } }: WarmSession): number {
  // Without a warm-up, the time of a run is unknown.
  if (runMs === null) return FEW_ITEMS;
  return [MANY_ITEMS, FEW_ITEMS].find((count) => count * (count + 2) * runMs <= budgetMs) ?? 0;
}

interface Limits {
  readonly provider: ExecutionProvider;
  readonly request: Pick<LoadRequest, "maxBatchSize">;
}

function subjectOf(limits: Limits, warm: WarmSession, runAlone: RunFeeds, runBatch: RunFeeds): CheckSubject {
  const { signature, padding, warmedUp, graph } = warm;
  const most = signature.fixedBatch ?? mostRowsOf(limits, warm);
  const { guesses } = warmedUp;
  return { signature, padding, provider: limits.provider, guesses, most, graph, runAlone, runBatch };
}

function mostRowsOf({ request }: Pick<Limits, "request">, { warmedUp }: WarmSession): number {
  return warmedUp.maxRows ?? request.maxBatchSize;
}

function runOn({ runtime, settled, onChecking }: SessionMaker, { session, signature }: WarmSession): RunFeeds {
  return async (feeds) => {
    onChecking(rowsIn(signature, feeds));
    try {
      const outputs = fromOutputs(await session.run(toFeeds(runtime, feeds)));
      await settled();
      onChecking(0);
      return outputs;
    } catch (thrown) {
      // If the run has ended the worker, the page must know that it was a run of the check.
      if (!endsWorker(thrown)) onChecking(0);
      throw thrown;
    }
  };
}
