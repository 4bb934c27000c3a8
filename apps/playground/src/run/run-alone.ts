import type { Playground } from "../playground.js";

const HIDDEN = "Stopped: this tab was hidden, and hidden tabs paint no frames. Start again.";

/** The result of a measurement, or why there is none; empty if the page shows the failure. */
export type Ended<Result> = { readonly result: Result } | { readonly message: string };

/**
 * Runs a measurement while nothing else uses the models. It ends when `stopping` aborts or when the tab is hidden. A
 * failure is reported on the page.
 */
export async function runAlone<Result>(
  playground: Playground,
  stopping: AbortController,
  measure: (signal: AbortSignal) => Promise<Result>,
): Promise<Ended<Result>> {
  const stopWhereHidden = (): void => {
    if (document.hidden) stopping.abort(HIDDEN);
  };
  playground.comparing.value = true;
  document.addEventListener("visibilitychange", stopWhereHidden, { signal: stopping.signal });
  try {
    return { result: await measure(stopping.signal) };
  } catch (error) {
    if (stopping.signal.aborted) return { message: String(stopping.signal.reason) };
    playground.reportFailure(error);
    return { message: "" };
  } finally {
    stopping.abort();
    playground.comparing.value = false;
  }
}
