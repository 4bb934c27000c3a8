import type { InferenceSession } from "onnxruntime-web/wasm";
import { resolveSignature } from "../core/model-axes.js";
import type { ModelSignature } from "../core/model-signature.js";
import { planPadding, type PaddingPlan } from "../core/padding-plan.js";
import type { BatchCheck, LoadRequest, Provider } from "../core/protocol.js";
import type { Facts } from "../store/model-facts.js";
import { checkGenerated, type Finding } from "./batch-check.js";
import type { RunFeeds } from "./row-runs.js";
import { readGraph, type GraphReading } from "./graph-reading.js";
import { endsWorker } from "./runtime-error.js";
import type { Runtime } from "./runtime.js";
import { fromOutputs, toFeeds } from "./tensor-bridge.js";
import { warmUp, type WarmUpResult } from "./warm-up.js";

/** Items that a check compares: where time allows, and where it does not. */
const MANY_ITEMS = 4;
const FEW_ITEMS = 2;

/** What making sessions of one model takes. */
export interface SessionMaker {
  readonly runtime: Runtime;
  readonly provider: Provider;
  readonly request: LoadRequest;
  readonly bytes: ArrayBuffer;
  readonly known: Facts;
  create(bytes: Uint8Array): Promise<InferenceSession>;
  /** Resolves once it is known that a run that has ended has gone well. @throws why it has not */
  readonly settled: () => Promise<void>;
}

/** A session, and what its model takes. */
export interface WarmSession {
  readonly session: InferenceSession;
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly warmedUp: WarmUpResult;
  readonly graph: GraphReading;
}

/** A session of which it is known how far its batches can be trusted. */
export interface CheckedSession extends WarmSession {
  readonly batchCheck: BatchCheck;
  /** A check that there was no time for, and how to make it later. `run` runs feeds on this session, when it suits. */
  readonly laterCheck: ((run: RunFeeds) => Promise<Finding>) | null;
  readonly isRebatched: boolean;
}

/** Makes a session and runs it; `onMade` hears in between. @throws as ONNX Runtime, `resolveSignature`, `planPadding` and `warmUp` */
export async function createWarm(
  maker: SessionMaker,
  bytes: Uint8Array,
  onMade: () => void = () => undefined,
): Promise<WarmSession> {
  const session = await maker.create(bytes);
  onMade();
  try {
    const signature = resolveSignature(session.inputMetadata, session.outputMetadata, maker.request.batchAxis);
    const padding = planPadding(signature, maker.request.padding);
    const warmedUp = await warmUp({ ...maker, session, signature, padding }, maker.request);
    return { session, signature, padding, warmedUp, graph: readGraph(bytes, signature) };
  } catch (thrown) {
    if (!endsWorker(thrown)) await session.release();
    throw thrown;
  }
}

/**
 * Finds out whether a batch of the model answers as its items do one by one, as far as that was asked for, an earlier session
 * has not found it out, and there is time. @throws what ends the worker
 */
export async function checkSession(maker: SessionMaker, warm: WarmSession): Promise<CheckedSession> {
  const { verifyBudgetMs } = maker.request;
  const known = maker.known.batchCheck;
  if (verifyBudgetMs === null) return trusted(warm, "not checked, as asked");
  if (mostRowsOf(maker, warm) === 1) return trusted(warm, "batches are of one item");
  if (known?.outcome === "passed") return { ...trusted(warm, ""), batchCheck: { ...known, fromCache: true } };
  const check = (run: RunFeeds, count: number) => checkGenerated(subjectOf(maker, warm, run, run), count);
  const count = itemsWithin(verifyBudgetMs, warm);
  if (count > 0) return { ...trusted(warm, ""), batchCheck: firstHand(await check(runOn(maker, warm), count)) };
  const laterCheck = (run: RunFeeds) => check(run, FEW_ITEMS);
  return { ...trusted(warm, "not checked yet: it would take longer than its budget"), laterCheck };
}

export function trusted(warm: WarmSession, reason: string): CheckedSession {
  const batchCheck: BatchCheck = { outcome: "skipped", reason, fromCache: false };
  return { ...warm, batchCheck, laterCheck: null, isRebatched: false };
}

export function firstHand(finding: Finding): BatchCheck {
  return { ...finding, fromCache: false };
}

/**
 * Compares a rewritten model with the one that it came from. No other proof makes it worth trusting, so there is always time for
 * a few items.
 */
export function compareSessions(maker: SessionMaker, original: WarmSession, rewritten: WarmSession): Promise<Finding> {
  const count = itemsWithin(maker.request.verifyBudgetMs ?? 0, original) || FEW_ITEMS;
  return checkGenerated(subjectOf(maker, rewritten, runOn(maker, original), runOn(maker, rewritten)), count);
}

/** How many items can be compared: each runs alone, and once more in a batch, which takes no longer than they do alone. */
function itemsWithin(budgetMs: number, { warmedUp: { runMs } }: WarmSession): number {
  // Nothing is known of run times where nobody wanted to wait for one run.
  if (runMs === null) return FEW_ITEMS;
  return [MANY_ITEMS, FEW_ITEMS].find((count) => 2 * count * runMs <= budgetMs) ?? 0;
}

function subjectOf(maker: SessionMaker, warm: WarmSession, runAlone: RunFeeds, runBatch: RunFeeds) {
  const { signature, padding, warmedUp, graph } = warm;
  const most = signature.fixedBatch ?? mostRowsOf(maker, warm);
  return { signature, padding, provider: maker.provider, guesses: warmedUp.guesses, most, graph, runAlone, runBatch };
}

function mostRowsOf({ request }: SessionMaker, { warmedUp }: WarmSession): number {
  return warmedUp.mostRows ?? request.maxBatchSize;
}

function runOn({ runtime, settled }: SessionMaker, { session }: WarmSession): RunFeeds {
  return async (feeds) => {
    const outputs = fromOutputs(await session.run(toFeeds(runtime, feeds)));
    await settled();
    return outputs;
  };
}
