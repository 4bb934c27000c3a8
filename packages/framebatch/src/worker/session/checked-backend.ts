import type { Finding } from "../verify/batch-check.js";
import { notRewritten } from "./rebatched-session.js";
import type { Backend } from "./trial.js";

/**
 * Returns a backend after its check has passed or failed, and the session that it no longer needs: the rewritten model or its
 * original; `null` if there is none.
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
