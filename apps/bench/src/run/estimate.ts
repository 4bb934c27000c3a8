import type { Backend } from "../results.js";
import type { RunSpec } from "../spec.js";
import type { PlannedGroup, PlannedModel } from "./plan.js";

/** Overhead per slice, in ms: the wait for a last frame and the query of the browser's metrics. */
const BETWEEN_SLICES_MS = 60;

/** Time to open a lane, in ms: loading ONNX Runtime and the model, and a few runs. It is longer on a software GPU. */
const OPENING_MS: Readonly<Record<Backend, number>> = { wasm: 1000, webgpu: 3500 };

/** The duration of a group, in ms, if every slice ends on time. */
export function groupMs({ load, lanes }: PlannedGroup, spec: Pick<RunSpec, "rounds" | "sliceMs">): number {
  const sliceMs = Math.max(spec.sliceMs, load.leastSliceMs ?? 0) + BETWEEN_SLICES_MS;
  return (spec.rounds + 1) * lanes.length * sliceMs;
}

/** The time to open all lanes of a model, in ms. */
export function openingMs({ groups }: PlannedModel, backend: Backend): number {
  return new Set(groups.flatMap(({ lanes }) => lanes)).size * OPENING_MS[backend];
}

/** The duration of a run, in ms, on a fast backend. A slower backend gets fewer rounds. */
export function runMs(planned: readonly PlannedModel[], spec: Pick<RunSpec, "backend" | "rounds" | "sliceMs">): number {
  const parts = planned.flatMap((model) => [
    openingMs(model, spec.backend),
    ...model.groups.map((group) => groupMs(group, spec)),
  ]);
  return parts.reduce((sum, ms) => sum + ms, 0);
}
