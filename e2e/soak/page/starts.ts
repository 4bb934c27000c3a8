import { createBatchedModel, FramebatchError, type ModelOptions } from "framebatch";
import type { BrokenStart } from "../kit/broken-starts.js";

export interface StartEnd {
  readonly id: string;
  readonly ms: number;
  /**
   * The code of a `FramebatchError`, the name of another error, "ready", or "never" if the start did not settle in
   * time.
   */
  readonly end: string;
}

/** Starts a model, and returns its outcome and duration. The outcome is "never" if there is none after `limitMs`. */
export async function start(
  good: string,
  { id, model = good, ...options }: BrokenStart,
  stallTimeoutMs: number,
  limitMs: number,
): Promise<StartEnd> {
  // The wall clock: the page's own may be ahead, see `enter` of P13.
  const startedAtMs = Date.now();
  const never = new Promise<string>((resolve) => setTimeout(() => resolve("never"), limitMs));
  const end = await Promise.race([tryOut(model, { ...options, stallTimeoutMs }), never]);
  return { id, ms: Date.now() - startedAtMs, end };
}

async function tryOut(model: string, options: ModelOptions): Promise<string> {
  try {
    const made = await createBatchedModel(model, { executionProviders: ["wasm"], cache: false, ...options });
    await made.dispose();
    return "ready";
  } catch (error) {
    if (error instanceof FramebatchError) return error.code;
    return error instanceof Error ? error.name : typeof error;
  }
}
