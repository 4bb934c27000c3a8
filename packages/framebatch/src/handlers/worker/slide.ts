/** An array of numbers. */
type Numbers = Float32Array | Float64Array | Int32Array | Int16Array | Int8Array | Uint8Array;

/**
 * Moves what a window of a stream holds towards its start, and puts new numbers at its end, so that it always holds the
 * newest. For what handlers remember of a sequence: samples, frames, embeddings.
 *
 * @param window changed in place
 * @param added the new numbers, no part of the window. Of more than the window holds, the last ones stay.
 * @returns the window
 * @example
 * ```ts
 * // mel.worker.ts
 * import { serve, slide } from "framebatch/worker";
 *
 * serve.model("mel", {
 *   begin: () => ({ samples: new Float32Array(1520) }),
 *   preprocess: (heard: Float32Array, { sequence }) => ({ samples: slide(sequence.samples, heard) }),
 * });
 * ```
 */
export function slide<Window extends Numbers>(window: Window, added: Numbers): Window {
  const newest = added.subarray(Math.max(0, added.length - window.length));
  window.copyWithin(0, newest.length);
  window.set(newest, window.length - newest.length);
  return window;
}
