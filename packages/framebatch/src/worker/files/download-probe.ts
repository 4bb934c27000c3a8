import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Timer } from "@framebatch/host/host-timer.js";
import { DownloadErrors } from "./download-errors.js";
import { StallGuard } from "./stall-guard.js";

/** Timeout of a probe, in milliseconds. */
const PROBE_TIMEOUT_MS = 2000;

/**
 * Returns the error for a request without a response. An unreachable server, a rejection by CORS and a redirect loop
 * all look the same to a page. Probes show whether there is a redirect, and whether the server responds at all to a
 * request whose response the page may not read.
 */
export async function whyUnanswered(url: string, cause: unknown, timer: Timer): Promise<FramebatchError> {
  const errors = new DownloadErrors(url);
  if (!/^https?:/.test(url)) return errors.network(cause);
  if (!navigator.onLine) return errors.offline(cause);
  const isRedirected = (await probe(url, { redirect: "manual" }, timer))?.type === "opaqueredirect";
  const isForeign = new URL(url).origin !== globalThis.origin;
  if (!isRedirected && !isForeign) return errors.network(cause);
  const answer = await probe(url, { mode: "no-cors" }, timer);
  if (answer !== null) return errors.cors(cause);
  return isRedirected ? errors.redirect(cause) : errors.network(cause);
}

async function probe(url: string, init: RequestInit, timer: Timer): Promise<Response | null> {
  const guard = new StallGuard(timer, () => new Error("no answer"));
  try {
    const request = fetch(url, {
      method: "HEAD",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      ...init,
      signal: guard.signal,
    });
    return await guard.watch(request, PROBE_TIMEOUT_MS);
  } catch {
    return null;
  }
}
