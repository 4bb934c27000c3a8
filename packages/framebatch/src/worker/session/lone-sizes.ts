import { roundedSizes, type PaddingPlan } from "@framebatch/rows/padding/plan.js";
import type { FeedsReply } from "./feeds-reply.js";

/** Maximum number of sizes to remember: items of pictures may have any number of them. */
const MAX_REMEMBERED = 1000;

/**
 * Chooses the sizes of a run. An item that runs alone keeps its own, so that no padding can change its answer. If the
 * model rejects those, the item runs at the sizes to which `padding` rounds them. Batches have rounded sizes.
 */
export class LoneSizes {
  readonly #padding: PaddingPlan;
  /** Sizes that the model has rejected, while it has run the same item at the rounded ones. */
  readonly #rejected = new Set<string>();

  constructor(padding: PaddingPlan) {
    this.#padding = padding;
  }

  /**
   * Returns how the run at the chosen sizes has ended, and those sizes.
   * @param run runs rows of these sizes. May be called twice
   */
  async run<Ended extends { readonly reply: FeedsReply }>(
    sizes: readonly number[],
    run: (extents: readonly number[]) => Promise<Ended>,
  ): Promise<Ended & { readonly extents: readonly number[] }> {
    const rounded = roundedSizes(this.#padding, sizes);
    const key = String(sizes);
    if (key === String(rounded)) return { ...(await run(sizes)), extents: sizes };
    if (!this.#rejected.has(key)) {
      const ended = await run(sizes);
      if (!isRejection(ended.reply)) return { ...ended, extents: sizes };
    }
    const ended = await run(rounded);
    if (this.#rejected.size === MAX_REMEMBERED) this.#rejected.clear();
    if (ended.reply.ok) this.#rejected.add(key);
    return { ...ended, extents: rounded };
  }
}

/** Whether the model rejected its inputs, perhaps for their sizes. */
function isRejection(reply: FeedsReply): boolean {
  return !reply.ok && !reply.fatal && reply.error.code === "INFERENCE_FAILED";
}
