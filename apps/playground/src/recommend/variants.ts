import type { ExecutionProvider } from "framebatch";
import { effectOf, MEASURES, type Gains } from "../measure/gain.js";
import { MAX_BATCH, RELEASE_LABELS, type ModelSettings } from "../settings.js";

/** A change of one setting to try. */
export interface Variant {
  readonly name: string;
  readonly change: Partial<ModelSettings>;
}

/** A tried change. */
export interface TriedVariant {
  readonly variant: Variant;
  /** The change relative to the current settings; `null` if the model does not load with it. */
  readonly gains: Gains | null;
}

/** Sizes to try as the largest batch. Small ones answer the first requests sooner. */
const SIZES = [16, MAX_BATCH];

/**
 * The changes worth a try: when a batch is sent, the largest batch, and the other backend.
 * @param provider the one that the model runs on now
 * @param hasGpu whether the browser has WebGPU
 */
export function variantsOf(current: ModelSettings, provider: ExecutionProvider, hasGpu: boolean): Variant[] {
  const releases = (["frame", "idle"] as const).filter((release) => release !== current.release);
  const sizes = SIZES.filter((size) => size !== current.maxBatch);
  return [
    ...releases.map((release) => ({ name: `Batches ${RELEASE_LABELS[release]}`, change: { release } })),
    ...sizes.map((maxBatch) => ({ name: `Batches up to ${maxBatch}`, change: { maxBatch } })),
    ...otherBackend(current, provider, hasGpu),
  ];
}

/** With `auto`, WASM runs only where a GPU does not. */
function otherBackend({ backend }: ModelSettings, provider: ExecutionProvider, hasGpu: boolean): Variant[] {
  if (provider !== "wasm") return [{ name: "On WASM", change: { backend: "wasm" } }];
  return hasGpu && backend === "wasm" ? [{ name: "On WebGPU", change: { backend: "webgpu" } }] : [];
}

/**
 * The variant with the highest throughput among those that are better in something and worse in nothing.
 * @param callers of the load that was measured
 */
export function bestOf(tried: readonly TriedVariant[], callers: number): Variant | null {
  const better = tried.flatMap(({ variant, gains }) =>
    gains !== null && isBetter(gains, callers) ? [{ variant, factor: gains.throughput.factor.value }] : [],
  );
  return better.toSorted((a, b) => b.factor - a.factor)[0]?.variant ?? null;
}

function isBetter(gains: Gains, callers: number): boolean {
  const effects = MEASURES.map((measure) => effectOf(measure, gains[measure], callers));
  const decisive = [effectOf("throughput", gains.throughput, callers), effectOf("median", gains.median, callers)];
  return decisive.includes("better") && !effects.includes("worse");
}
