/** Returns the message of a thrown value. Never throws: a value of the user may have no text, or one that throws. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return `a value of type ${typeof thrown} without a text`;
  }
}
