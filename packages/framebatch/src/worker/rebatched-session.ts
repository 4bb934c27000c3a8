import { compareSessions, createWarm, firstHand, trusted } from "./checked-session.js";
import type { CheckedSession, SessionMaker, WarmSession } from "./checked-session.js";
import { rebatch } from "./rebatch.js";
import { endsWorker } from "./runtime-error.js";

/** While a rewritten model is compared with the one that it came from, both are in memory. */
const LARGEST_BYTES = 2 ** 28;

/**
 * Makes a model that is fixed at one item take more, if it can be rewritten, and the rewritten one answers to a batch as the
 * one that it came from answers to each item. Else the model stays as it came, and the check says why.
 * @throws what ends the worker
 */
export async function rebatchSession(maker: SessionMaker, original: WarmSession): Promise<CheckedSession> {
  const { rebatch: isAsked, verifyBudgetMs, maxBatchSize } = maker.request;
  if (!isAsked || verifyBudgetMs === null || maxBatchSize === 1) {
    return trusted(original, "the model takes one item at a time, and was not rewritten, as asked");
  }
  const attempt = await tryRewritten(maker, original);
  if ("session" in attempt) {
    await original.session.release();
    return attempt;
  }
  const reason = `the model takes one item at a time, and could not be rewritten to take more: ${attempt.refused}; export it with a dynamic batch dimension`;
  return { ...trusted(original, ""), batchCheck: firstHand({ outcome: "failed", reason }) };
}

async function tryRewritten(
  maker: SessionMaker,
  original: WarmSession,
): Promise<CheckedSession | { readonly refused: string }> {
  try {
    if (maker.bytes.byteLength > LARGEST_BYTES) return { refused: `it is larger than ${LARGEST_BYTES} bytes` };
    const rewritten = rebatch(new Uint8Array(maker.bytes), original.signature);
    return "refused" in rewritten
      ? rewritten
      : await keepIfAlike(maker, original, await createWarm(maker, rewritten.bytes));
  } catch (thrown) {
    if (endsWorker(thrown)) throw thrown;
    return { refused: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function keepIfAlike(
  maker: SessionMaker,
  original: WarmSession,
  rewritten: WarmSession,
): Promise<CheckedSession | { readonly refused: string }> {
  const known = maker.known.batchCheck;
  const kept = { ...trusted(rewritten, ""), isRebatched: true };
  if (known?.outcome === "passed") return { ...kept, batchCheck: { ...known, fromCache: true } };
  const finding = await compareSessions(maker, original, rewritten);
  if (finding.outcome === "passed") return { ...kept, batchCheck: firstHand(finding) };
  await rewritten.session.release();
  return { refused: finding.reason };
}
