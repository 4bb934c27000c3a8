import type { RunnerConfig } from "../engine/engine.js";
import type { CostModelData } from "../cost/cost-model.js";
import type { ErrorListener } from "../errors/guard.js";
import type { TrackerConfig } from "../requests/request-tracker.js";
import type { SchedulerConfig } from "../schedule/batch-planner.js";
import { copyShape, type ItemShape } from "../queue/shape.js";
import { FramebatchError } from "../errors/errors.js";

/**
 * The configuration of a batcher. The caller validates user options first. If a configured function throws, the
 * affected requests reject and the others are not affected.
 */
export interface BatcherConfig<Item, Result>
  extends TrackerConfig<Result>, Omit<RunnerConfig<Item, Result>, "release">, SchedulerConfig {
  /** Maximum number of requests in a batch, at least 1. */
  readonly maxBatchSize: number;
  /** Whether batches are trusted from the start. `Batcher.trust` changes this later. @default true */
  readonly isTrusted?: boolean;
  /** Maximum number of queued requests. @default unbounded */
  readonly maxQueueSize?: number;
  /** Returns the shape of an item, with extents that `checkedShape` accepts. @default all items have the same shape */
  readonly shapeOf?: (item: Item) => ItemShape;
  /**
   * Returns the identity of an item's content, or `undefined` if the item has none. Required by `dedupe` and
   * `resultCacheSize`.
   */
  readonly contentKey?: (item: Item) => string | undefined;
  /** Whether identical queued items share a row. @default false */
  readonly dedupe?: boolean;
  /**
   * Takes over an item from its caller, when its request is accepted or before. May be called more than once. A request
   * whose item cannot be taken over is rejected with what this throws.
   */
  readonly take?: (item: Item) => void;
  /** Called for each request, before it is queued. */
  readonly onRequest?: () => void;
  /** Called once for each item that was given to `enqueue` or `discard`, after its request has settled. */
  readonly onSettled?: (item: Item) => void;
  /** Cost data that an earlier batcher learned on the same engine. */
  readonly costData?: CostModelData;
  /** Receives every error thrown by a configured function or by the batcher itself. */
  readonly onError?: ErrorListener;
}

/** Maximum volume of an item. Predictions are finite up to this volume, whatever run times were measured. */
const MAX_VOLUME = Number.MAX_SAFE_INTEGER;

/**
 * Returns a copy of a shape that a user's `shapeOf` has returned. Its extents are checked, because predictions derive
 * from them and must not be NaN.
 * @throws INVALID_INPUT when there are no extents, or they or their product are out of range.
 */
export function checkedShape(given: ItemShape): ItemShape {
  const shape = copyShape(given);
  if (!hasExtents(shape)) throw noExtents();
  checkExtents(shape.extents);
  return shape;
}

/** A function without types may return anything. */
function hasExtents(shape: Partial<ItemShape> | null | undefined): boolean {
  return Array.isArray(shape?.extents);
}

function noExtents(): FramebatchError {
  const message = "shapeOf: expected { group, extents }, got no list of extents; return [] if it has none";
  return new FramebatchError("INVALID_INPUT", message);
}

function checkExtents(extents: readonly number[]): void {
  let volume = 1;
  for (const extent of extents) {
    if (!Number.isFinite(extent) || extent < 0) throw shapeError("numbers from 0", extents);
    volume *= extent;
  }
  if (volume > MAX_VOLUME) throw shapeError(`numbers whose product is at most ${MAX_VOLUME}`, extents);
}

function shapeError(expected: string, extents: readonly number[]): FramebatchError {
  const message = `shapeOf: expected extents that are ${expected}, got [${extents.join(", ")}]; return the sizes of the item, as in [tokens.length]`;
  return new FramebatchError("INVALID_INPUT", message);
}
