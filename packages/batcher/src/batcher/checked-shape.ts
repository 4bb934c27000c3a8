import { copyShape, type ItemShape } from "../queue/shape.js";
import { FramebatchError } from "../errors/errors.js";

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
