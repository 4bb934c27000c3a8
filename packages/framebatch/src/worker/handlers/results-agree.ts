import { isElements } from "@framebatch/batcher/errors/description.js";

/**
 * Whether two results of an engine are the same. A number may differ by `tolerance` times itself or, in a list, times the
 * mean magnitude of the list, whichever is more: kernels sum in different orders. Everything else must be equal.
 */
export function resultsAgree(inBatch: unknown, alone: unknown, tolerance: number): boolean {
  if (isElements(inBatch) && isElements(alone)) return listsAgree(inBatch, alone, tolerance);
  if (typeof inBatch === "number" && typeof alone === "number") return isClose(inBatch, alone, tolerance, 0);
  if (!isObject(inBatch) || !isObject(alone)) return Object.is(inBatch, alone);
  const names = Object.keys(alone);
  if (names.length === 0 || names.length !== Object.keys(inBatch).length) return Object.is(inBatch, alone);
  return names.every((name) => resultsAgree(inBatch[name], alone[name], tolerance));
}

function listsAgree(inBatch: ArrayLike<unknown>, alone: ArrayLike<unknown>, tolerance: number): boolean {
  if (inBatch.length !== alone.length) return false;
  const scale = meanMagnitude(alone);
  return Array.from(alone).every((right, index) => {
    const got = inBatch[index];
    if (typeof right !== "number" || typeof got !== "number") return resultsAgree(got, right, tolerance);
    return isClose(got, right, tolerance, scale);
  });
}

function isClose(got: number, right: number, tolerance: number, scale: number): boolean {
  return Object.is(got, right) || Math.abs(got - right) <= tolerance * Math.max(Math.abs(right), scale);
}

/** Returns the mean absolute value of the finite numbers of a list; 0 if it has none. */
function meanMagnitude(list: ArrayLike<unknown>): number {
  const sizes = Array.from(list, (entry) => (typeof entry === "number" ? Math.abs(entry) : NaN)).filter(
    Number.isFinite,
  );
  return sizes.length === 0 ? 0 : sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !isElements(value);
}
