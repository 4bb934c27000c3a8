import {
  type CheckedSession,
  type SessionMaker,
  type WarmSession,
  checkSession,
  createWarm,
  unchecked,
} from "./checked-session.js";
import type { DeclaredSignature } from "@framebatch/rows/model/batch-axis.js";
import { hasBatch, type ModelSignature } from "@framebatch/rows/model/signature.js";
import { rebatch } from "../graph/rebatch.js";
import { endsWorker, runError } from "../ort/runtime-error.js";
import type { Finding } from "../../verification/worker/batch-check.js";
import type { Backend } from "./trial.js";

/** Maximum size of a model to rewrite, in bytes: both models are in memory while they are compared. */
const LARGEST_BYTES = 2 ** 28;

const NO_BATCH =
  "no input has a batch dimension: each item is a run of its own, with all dims of the inputs; for batches, export the model with a leading dynamic dimension, or name the axis in batchAxis";

/**
 * Rewrites a model with a fixed batch of one item so that it accepts larger batches. Uses the rewritten model if it
 * returns the same outputs for a batch as the original returns for each item. Otherwise keeps the original, and the
 * check gives the reason. If a comparison of generated items is inconclusive, keeps both: single items run on the
 * original until a check of real items has decided.
 *
 * @throws an error that ends the worker
 */
export async function rebatchSession(maker: SessionMaker, original: WarmSession): Promise<CheckedSession> {
  if (!hasBatch(original.signature.inputs)) return unchecked(original, "skipped", NO_BATCH);
  const { rebatch: isAsked, verifyBudgetMs, maxBatchSize } = maker.request;
  if (!isAsked || verifyBudgetMs === null || maxBatchSize === 1) {
    return unchecked(original, "skipped", "the model takes one item at a time, and was not rewritten, as asked");
  }
  const known = original.known.batchCheck;
  if (known?.outcome === "failed") {
    return { ...unchecked(original, "failed", ""), batchCheck: { ...known, fromCache: true } };
  }
  const attempt = await tryRewritten(maker, original);
  if ("refused" in attempt) return unchecked(original, "failed", notRewritten(attempt.refused, attempt.isMixing));
  if (attempt.batchCheck.outcome === "inconclusive") return { ...attempt, original: original.session };
  return attempt;
}

/**
 * Returns the message for a model that stays fixed at one item.
 * @param isMixing whether its items would mix in a batch, which another export of it does not change
 */
function notRewritten(reason: string, isMixing = false): string {
  const fix = isMixing ? "" : "; export it with a dynamic batch dimension";
  return `the model takes one item at a time, and could not be rewritten to take more: ${reason}${fix}`;
}

interface Refusal {
  readonly refused: string;
  readonly isMixing?: boolean;
}

async function tryRewritten(maker: SessionMaker, original: WarmSession): Promise<CheckedSession | Refusal> {
  try {
    if (maker.bytes.byteLength > LARGEST_BYTES) return { refused: `it is larger than ${LARGEST_BYTES} bytes` };
    const rewritten = rebatch(new Uint8Array(maker.bytes), original.signature);
    if ("refused" in rewritten) return rewritten;
    const warm = await createWarm(maker, rewritten.bytes, undefined, declaredBy(rewritten.signature));
    return await keepUnlessOther(maker, original, warm);
  } catch (thrown) {
    if (endsWorker(thrown)) throw thrown;
    const { error } = runError(thrown);
    // It says nothing about the rows, and is no verdict to keep.
    if (error.code === "OUT_OF_MEMORY") return unchecked(original, "skipped", notRewritten(error.message));
    return { refused: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The axes of a rewritten model are those of its original, whatever its names and sizes look like. */
function declaredBy(signature: ModelSignature): DeclaredSignature {
  return { signature, unknown: new Map(), origins: new Map(signature.outputs.map(({ name }) => [name, "told"])) };
}

async function keepUnlessOther(
  maker: SessionMaker,
  original: WarmSession,
  rewritten: WarmSession,
): Promise<CheckedSession | Refusal> {
  const isBroken = rewritten.warmedUp.isProvisional && !original.warmedUp.isProvisional;
  const { batchCheck, ...checked } = isBroken
    ? unchecked(rewritten, "failed", rewritten.warmedUp.doubt ?? "it does not run")
    : await checkSession(maker, rewritten, original);
  // What was not compared is not used: of a model with memory for one row, no batch is.
  if (batchCheck.outcome === "skipped") return unchecked(original, "skipped", batchCheck.reason);
  return batchCheck.outcome === "failed"
    ? { refused: batchCheck.reason, isMixing: checked.isMixing }
    : { ...checked, batchCheck, isRebatched: true };
}

/**
 * Returns a backend after its check has passed or failed, and the session that it no longer needs: the rewritten model
 * or its original; `null` if there is none.
 */
export function checkedBackend(
  backend: Backend,
  { outcome, reason, isMixing }: Finding,
): { readonly checked: Backend; readonly spare: Backend["original"] } {
  const hasPassed = outcome === "passed";
  const isRefused = backend.isRebatched && !hasPassed;
  const batchCheck = { outcome, reason: isRefused ? notRewritten(reason, isMixing) : reason, fromCache: false };
  const kept = hasPassed ? backend.session : (backend.original ?? backend.session);
  const spare = hasPassed ? backend.original : backend.original && backend.session;
  return { checked: { ...backend, session: kept, original: null, batchCheck }, spare };
}
