import type { ExecutionProvider } from "../../core/providers.js";
import type { InferenceSession } from "onnxruntime-web/wasm";
import { resolveSignature } from "../../core/model/batch-axis.js";
import type { ModelSignature } from "../../core/model/signature.js";
import { planPadding, type PaddingPlan } from "../../core/padding/plan.js";
import type { BatchCheck, LoadRequest } from "../../core/protocol/protocol.js";
import type { Facts } from "../../store/model-facts.js";
import { checkGenerated, checkItems, type CheckSubject, type Finding } from "../verify/batch-check.js";
import { NOTHING, readGraph, type GraphReading } from "../graph/graph-reading.js";
import { rowsIn } from "../samples/items.js";
import type { RunFeeds } from "../verify/row-runs.js";
import { endsWorker } from "../ort/runtime-error.js";
import type { Runtime } from "../ort/runtime.js";
import { readSamples, type Samples } from "../samples/samples.js";
import { fromOutputs, toFeeds } from "../ort/tensor-bridge.js";
import { warmUp, type WarmUpResult } from "./warm-up.js";

/** Items that a check compares: where time allows, and where it does not. */
const MANY_ITEMS = 4;
const FEW_ITEMS = 2;

/** What making sessions of one model takes. */
export interface SessionMaker {
  readonly runtime: Runtime;
  readonly provider: ExecutionProvider;
  readonly request: LoadRequest;
  readonly bytes: ArrayBuffer;
  readonly known: Facts;
  create(bytes: Uint8Array): Promise<InferenceSession>;
  /** Resolves once it is known that a run that has ended has gone well. @throws why it has not */
  readonly settled: () => Promise<void>;
  /** Hears of each run of a check, as in the notice "checking". */
  readonly onChecking: (rows: number) => void;
}

/** A session, and what its model takes. */
export interface WarmSession {
  readonly session: InferenceSession;
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly samples: Samples | null;
  readonly warmedUp: WarmUpResult;
  readonly graph: GraphReading;
}

/** A session of which it is known how far its batches can be trusted. */
export interface CheckedSession extends WarmSession {
  readonly batchCheck: BatchCheck;
  /** The check that there was no time for. `run` runs feeds on this session, in their turn. */
  readonly laterCheck: ((run: RunFeeds) => Promise<Finding>) | null;
  /** On which single items run while a rewritten model has not proved itself; `null` where `session` runs everything. */
  readonly original: InferenceSession | null;
  readonly isRebatched: boolean;
}

/** Makes a session and runs it; `onMade` hears in between. @throws as ONNX Runtime, `resolveSignature`, `planPadding`, `readSamples` and `warmUp` */
export async function createWarm(
  maker: SessionMaker,
  bytes: Uint8Array,
  onMade: () => void = () => undefined,
): Promise<WarmSession> {
  const session = await maker.create(bytes);
  onMade();
  try {
    const { batchAxis, padding: asked, samples: given } = maker.request;
    const signature = resolveSignature(session.inputMetadata, session.outputMetadata, batchAxis);
    const padding = planPadding(signature, asked);
    const samples = readSamples(signature, padding, given);
    const hasFailed = maker.known.batchCheck?.outcome === "failed";
    const request = hasFailed ? { ...maker.request, maxBatchSize: 1 } : maker.request;
    const warmedUp = await warmUp({ ...maker, session, signature, padding, samples }, request);
    const graph = isUndecided(maker) ? readGraph(bytes, signature) : NOTHING;
    return { session, signature, padding, samples, warmedUp, graph };
  } catch (thrown) {
    if (!endsWorker(thrown)) await session.release();
    throw thrown;
  }
}

/** Whether a check may still be made. Reading the graph takes time that a model whose outcome is known need not spend. */
function isUndecided({ request, known: { batchCheck } }: SessionMaker): boolean {
  return request.verifyBudgetMs !== null && (batchCheck === null || batchCheck.outcome === "inconclusive");
}

/**
 * Finds out whether a batch of the model answers as its items do one by one: from an earlier session; else from samples, or items
 * that are made up, as far as there is time before the model is ready. Where that does not tell, the outcome is pending.
 *
 * A model with a fixed batch of several rows is always checked at once, and so is a rewritten one, whatever the time.
 * @param original of a rewritten model: runs its items one by one
 * @throws what ends the worker
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
  // What the graph tells takes no run.
  const isInGraph = warm.graph.mixing !== null;
  if (warm.warmedUp.isProvisional && !isInGraph)
    return unchecked(warm, "inconclusive", "not checked yet: no made-up item runs");
  const isUrgent = isInGraph || original !== null || warm.signature.fixedBatch !== null;
  const count = itemsWithin(verifyBudgetMs, original ?? warm);
  if (count === 0 && !isUrgent) {
    const laterCheck = (run: RunFeeds) => check(subjectOf(maker, warm, run, run), warm.samples, FEW_ITEMS);
    return { ...unchecked(warm, "inconclusive", "not checked yet: it would take longer than its budget"), laterCheck };
  }
  const runs = [runOn(maker, original ?? warm), runOn(maker, warm)] as const;
  const { outcome, reason } = await check(subjectOf(maker, warm, ...runs), warm.samples, count || FEW_ITEMS);
  return unchecked(warm, outcome, reason);
}

/** A session with what is known of its batches already. */
export function unchecked(warm: WarmSession, outcome: BatchCheck["outcome"], reason: string): CheckedSession {
  const batchCheck: BatchCheck = { outcome, reason, fromCache: false };
  return { ...warm, batchCheck, laterCheck: null, original: null, isRebatched: false };
}

/** What a check of real items compares, on the session that a worker has adopted. */
export function subjectFor(
  warm: WarmSession & { readonly provider: ExecutionProvider },
  maxBatchSize: number,
  run: RunFeeds,
): CheckSubject {
  return subjectOf({ provider: warm.provider, request: { maxBatchSize } }, warm, run, run);
}

function check(subject: CheckSubject, samples: Samples | null, count: number): Promise<Finding> {
  return samples === null ? checkGenerated(subject, count) : checkItems(subject, samples.items);
}

/** How many items can be compared: n of them run alone, and in n + 1 batches, none of which takes longer than its items do alone. */
function itemsWithin(budgetMs: number, { warmedUp: { runMs } }: WarmSession): number {
  // Nothing is known of run times where nobody wanted to wait for one run.
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
  return warmedUp.mostRows ?? request.maxBatchSize;
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
      // What ended the worker is the check.
      if (!endsWorker(thrown)) onChecking(0);
      throw thrown;
    }
  };
}
