/** Returns true if a message matches the one in a table, in which "…" stands for any text. */
export function isSaid(promised: string, message: string): boolean {
  const parts = promised.split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*")}$`).test(message);
}
