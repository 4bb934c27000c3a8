import type { Playground } from "../playground.js";

const HIDDEN = "Stopped: this tab was hidden, and hidden tabs paint no frames. Start again.";
const REPLACED = "Stopped: the model or its settings have changed. Start again.";

/** The result of a measurement, or why there is none; empty if the page shows the failure. */
export type Ended<Result> = { readonly result: Result } | { readonly message: string };

/**
 * Runs a measurement while nothing else uses the models. It ends when `stopping` aborts, when the tab is hidden, or when
 * the page replaces the models. A failure is reported on the page.
 */
export async function runAlone<Result>(
  playground: Pick<Playground, "lanes" | "comparing" | "reportFailure">,
  stopping: AbortController,
  measure: (signal: AbortSignal) => Promise<Result>,
): Promise<Ended<Result>> {
  const stopWhereHidden = (): void => {
    if (document.hidden) stopping.abort(HIDDEN);
  };
  const lanes = playground.lanes.peek();
  const stopWatching = playground.lanes.subscribe((current) => {
    if (current !== lanes) stopping.abort(REPLACED);
  });
  playground.comparing.value = true;
  document.addEventListener("visibilitychange", stopWhereHidden, { signal: stopping.signal });
  try {
    return { result: await measure(stopping.signal) };
  } catch (error) {
    if (stopping.signal.aborted) return { message: String(stopping.signal.reason) };
    playground.reportFailure(error);
    return { message: "" };
  } finally {
    stopWatching();
    stopping.abort();
    playground.comparing.value = false;
  }
}
