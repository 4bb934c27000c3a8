import type { ModelStats, TensorInfo } from "framebatch";

type BatchFacts = Pick<ModelStats, "batchCheck" | "isRebatched">;

/** Says in one sentence whether this model batches, and why. */
export function explainBatching(inputs: readonly TensorInfo[], { batchCheck, isRebatched }: BatchFacts): string {
  const fixed = isRebatched ? null : fixedBatch(inputs);
  if (fixed === 1) {
    return "Not batchable: the file allows one item at a time, so it runs item by item. Export it with a dynamic batch axis.";
  }
  if (batchCheck.outcome === "failed") {
    return "Not batchable: batches give different outputs from single items, so it runs item by item.";
  }
  if (batchCheck.outcome === "inconclusive") {
    return "Not verified yet: it runs item by item until its first items show whether batches give the same outputs.";
  }
  if (isRebatched) {
    return "Batchable, although the file allows one item at a time: framebatch has rewritten it to take more.";
  }
  if (fixed !== null) return `Batchable in exactly ${fixed} items: smaller batches are padded to ${fixed}.`;
  return `Batchable: its items are stacked along ${describeAxes(inputs)}.`;
}

/** What else there is to know about the batches of this model. */
export function batchNotes(inputs: readonly TensorInfo[], { batchCheck }: BatchFacts): string[] {
  const shared = inputs.filter(({ batchAxis }) => batchAxis === null).length;
  const sharing =
    shared === 1 ? "One input is shared by the whole batch." : `${shared} inputs are shared by the whole batch.`;
  return [...(shared === 0 ? [] : [sharing]), explainCheck(batchCheck)];
}

/** The batch size that the model file fixes; `null` if it is dynamic. */
function fixedBatch(inputs: readonly TensorInfo[]): number | null {
  const [fixed] = inputs.flatMap(({ dims, batchAxis }) => (batchAxis === null ? [] : (dims[batchAxis] ?? [])));
  return fixed ?? null;
}

function describeAxes(inputs: readonly TensorInfo[]): string {
  const axes = new Set(inputs.flatMap(({ batchAxis }) => batchAxis ?? []));
  return axes.size === 1 ? `axis ${[...axes][0]}` : "the axes marked below";
}

function explainCheck({ outcome, reason, fromCache }: ModelStats["batchCheck"]): string {
  const when = fromCache ? " on an earlier visit" : "";
  const why = reason === "" ? "." : `: ${reason}.`;
  switch (outcome) {
    case "passed":
      return `Batches gave the same outputs as single items${when}${why}`;
    case "failed":
      return `Batches gave different outputs from single items${when}${why}`;
    case "inconclusive":
      return `Batches are not verified yet: ${reason.replace(/^not checked yet: /, "")}.`;
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
