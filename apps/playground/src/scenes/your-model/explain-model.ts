import type { ModelStats, TensorInfo } from "framebatch";

/** What a visitor should know of how this model batches, a sentence each. */
export function explainBatching(
  inputs: readonly TensorInfo[],
  { batchCheck, isRebatched }: Pick<ModelStats, "batchCheck" | "isRebatched">,
): string[] {
  return [explainAxis(inputs), ...explainSize(inputs, isRebatched), explainCheck(batchCheck)];
}

function explainAxis(inputs: readonly TensorInfo[]): string {
  const batched = inputs.filter(({ batchAxis }) => batchAxis !== null);
  const shared = inputs.length - batched.length;
  const axes = new Set(batched.map(({ batchAxis }) => batchAxis));
  const where = axes.size === 1 ? `axis ${[...axes][0]}` : "the axes marked below";
  const rest =
    shared === 0 ? "" : ` ${shared === 1 ? "One input is" : `${shared} inputs are`} shared by a whole batch.`;
  return `Items are stacked along ${where}.${rest}`;
}

function explainSize(inputs: readonly TensorInfo[], isRebatched: boolean): string[] {
  if (isRebatched) {
    return ["Its file allows one item at a time; framebatch has rewritten it to take more, and checked the answers."];
  }
  const [fixed] = inputs.flatMap(({ dims, batchAxis }) => (batchAxis === null ? [] : (dims[batchAxis] ?? [])));
  if (fixed === undefined) return [];
  if (fixed === 1) {
    return [
      "Its file allows one item at a time, so it runs item by item. Export it with a dynamic batch axis to let it batch.",
    ];
  }
  return [`Its file asks for exactly ${fixed} items: smaller batches are padded to ${fixed}.`];
}

function explainCheck({ outcome, reason, fromCache }: ModelStats["batchCheck"]): string {
  const when = fromCache ? " on an earlier visit" : "";
  const why = reason === "" ? "." : `: ${reason}.`;
  switch (outcome) {
    case "passed":
      return `Batches were found to answer as single items do${when}${why}`;
    case "failed":
      return `Batches were found to answer otherwise than single items${when}, so it runs item by item${why}`;
    case "inconclusive":
      return `Whether batches answer as single items do is not known yet, so it runs item by item until its first items tell${why}`;
    case "skipped":
      return `Whether batches answer as single items do was not checked${why}`;
  }
}

/** "float32 [batch, 1, 28, 28]" */
export function describeTensor({ type, dims, symbols, batchAxis }: TensorInfo): string {
  const sizes = dims.map((size, axis) => {
    const name = size ?? symbols[axis] ?? "?";
    return axis === batchAxis && size !== null
      ? `batch ${size}`
      : String(axis === batchAxis ? (symbols[axis] ?? "batch") : name);
  });
  return `${type} [${sizes.join(", ")}]`;
}
