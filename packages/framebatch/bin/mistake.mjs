/** A mistake in how the command was called. Its message is shown without a stack. */
export class Mistake extends Error {}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
