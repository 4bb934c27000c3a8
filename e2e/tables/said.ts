/** Whether a message is the one that a table promises, where "…" stands for whatever differs. */
export function isSaid(promised: string, message: string): boolean {
  const parts = promised.split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*")}$`).test(message);
}
