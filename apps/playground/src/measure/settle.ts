import type { BatchedModel } from "framebatch";

/** Maximum time to wait for batches that withdrawn requests left running, in ms. */
const SETTLE_MS = 10_000;

export type SettledModel = Pick<BatchedModel, "stats" | "addEventListener">;

/** Waits for batches that withdrawn requests left running, since they would slow down what is measured next. */
export async function settle(model: SettledModel): Promise<void> {
  const giveUp = AbortSignal.timeout(SETTLE_MS);
  while (model.stats().batches.inFlight > 0 && !giveUp.aborted) {
    await new Promise<void>((resolve) => {
      model.addEventListener("batch", () => resolve(), { once: true, signal: giveUp });
      giveUp.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
