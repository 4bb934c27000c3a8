import type { ModelStats, TensorInfo } from "framebatch";

/** Explains how this model batches, as a list of sentences. */
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
    shared === 0 ? "" : ` ${shared === 1 ? "One input is" : `${shared} inputs are`} shared by the whole batch.`;
  return `Items are stacked along ${where}.${rest}`;
}

function explainSize(inputs: readonly TensorInfo[], isRebatched: boolean): string[] {
  if (isRebatched) {
    return [
      "The model file allows one item at a time; framebatch has rewritten it to take more, and checked the outputs.",
    ];
  }
  const [fixed] = inputs.flatMap(({ dims, batchAxis }) => (batchAxis === null ? [] : (dims[batchAxis] ?? [])));
  if (fixed === undefined) return [];
  if (fixed === 1) {
    return [
      "The model file allows one item at a time, so it runs item by item. Export the model with a dynamic batch axis to enable batching.",
    ];
  }
  return [`The model file requires exactly ${fixed} items: smaller batches are padded to ${fixed}.`];
}

function explainCheck({ outcome, reason, fromCache }: ModelStats["batchCheck"]): string {
  const when = fromCache ? " on an earlier visit" : "";
  const why = reason === "" ? "." : `: ${reason}.`;
  switch (outcome) {
    case "passed":
      return `Batches gave the same outputs as single items${when}${why}`;
    case "failed":
      return `Batches gave different outputs from single items${when}, so it runs item by item${why}`;
    case "inconclusive":
      return `Batches are not verified yet, so it runs item by item until its first items verify them${why}`;
    case "skipped":
      return `Batches were not compared with single items${why}`;
  }
}

/** Formats a tensor: "float32 [batch, 1, 28, 28]". */
export function describeTensor({ type, dims, symbols, batchAxis }: TensorInfo): string {
  const sizes = dims.map((size, axis) => {
    const name = size ?? symbols[axis] ?? "?";
    return axis === batchAxis && size !== null
      ? `batch ${size}`
      : String(axis === batchAxis ? (symbols[axis] ?? "batch") : name);
  });
  return `${type} [${sizes.join(", ")}]`;
}
