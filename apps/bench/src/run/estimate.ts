import type { Backend } from "../results.js";
import type { RunSpec } from "../spec.js";
import type { PlannedGroup, PlannedModel } from "./plan.js";

/** What a slice takes besides: waiting for a last frame, and asking the browser for its accounts. */
const BETWEEN_SLICES_MS = 60;

/** What opening a lane takes: loading ONNX Runtime and the model, and a few runs; on a GPU in software, the more of them. */
const OPENING_MS: Readonly<Record<Backend, number>> = { wasm: 1000, webgpu: 3500 };

/** How long a group takes, in milliseconds, where every slice ends when it should. */
export function groupMs({ load, lanes }: PlannedGroup, spec: Pick<RunSpec, "rounds" | "sliceMs">): number {
  const sliceMs = Math.max(spec.sliceMs, load.leastSliceMs ?? 0) + BETWEEN_SLICES_MS;
  return (spec.rounds + 1) * lanes.length * sliceMs;
}

/** How long opening all lanes of a model takes, in milliseconds. */
export function openingMs({ groups }: PlannedModel, backend: Backend): number {
  return new Set(groups.flatMap(({ lanes }) => lanes)).size * OPENING_MS[backend];
}

/** How long a run takes, in milliseconds, on a backend that is fast enough; a slower one gets fewer rounds. */
export function runMs(planned: readonly PlannedModel[], spec: Pick<RunSpec, "backend" | "rounds" | "sliceMs">): number {
  const parts = planned.flatMap((model) => [
    openingMs(model, spec.backend),
    ...model.groups.map((group) => groupMs(group, spec)),
  ]);
  return parts.reduce((sum, ms) => sum + ms, 0);
}
