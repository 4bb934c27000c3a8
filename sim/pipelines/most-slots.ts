import type { StepShape } from "./scenario.js";

/** The number of slots of a stage that tells no batch size. */
const MIN_SLOTS = 8;

/** Returns the most slots that a step itself can have: two of its largest batches, or 0 if it is no stage. */
export function mostSlots(shape: StepShape): number {
  if (shape.kind === "split") return 0;
  if (shape.kind === "batched") return Math.max(MIN_SLOTS, 2 * shape.batcher.maxBatchSize);
  return shape.kind === "inner" ? Math.max(MIN_SLOTS, ...shape.steps.map(mostSlotsInside)) : MIN_SLOTS;
}

/** Returns the most slots that all stages of a path have together. */
export function allSlots(shapes: readonly StepShape[]): number {
  const slots = shapes.map((shape) => mostSlots(shape) + (shape.kind === "split" ? allSlots(shape.steps) : 0));
  return slots.reduce((sum, each) => sum + each, 0);
}

/** An inner pipeline tells the size of its widest stage, inside its splits too. */
function mostSlotsInside(shape: StepShape): number {
  return shape.kind === "split" ? Math.max(0, ...shape.steps.map(mostSlotsInside)) : mostSlots(shape);
}
