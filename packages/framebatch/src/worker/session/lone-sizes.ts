import { roundedSizes, type PaddingPlan } from "@framebatch/rows/padding/padding-plan.js";
import type { FeedsReply, InTurn, Serve } from "./feeds-reply.js";

/** Maximum number of sizes to remember: items of pictures may have any number of them. */
const MAX_REMEMBERED = 1000;

type SizedRun<Ended> = (extents: readonly number[], serve: Serve) => Promise<Ended>;
type Sized<Ended> = Ended & { readonly extents: readonly number[] };

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
   * @param inTurn gives two runs one turn: the page blames a crash on the oldest run, so none may come between them
   * @param run runs rows of these sizes. May be called twice
   */
  async run<Ended extends { readonly reply: FeedsReply }>(
    sizes: readonly number[],
    inTurn: InTurn,
    run: SizedRun<Ended>,
  ): Promise<Sized<Ended>> {
    const rounded = roundedSizes(this.#padding, sizes);
    const own = String(sizes);
    const serve: Serve = (turn, onBegin) => inTurn((now) => now(turn, onBegin));
    if (own === String(rounded)) return { ...(await run(sizes, serve)), extents: sizes };
    if (this.#rejected.has(own)) return { ...(await run(rounded, serve)), extents: rounded };
    return inTurn((now) => this.#try(sizes, rounded, (extents) => run(extents, now)));
  }

  async #try<Ended extends { readonly reply: FeedsReply }>(
    sizes: readonly number[],
    rounded: readonly number[],
    run: (extents: readonly number[]) => Promise<Ended>,
  ): Promise<Sized<Ended>> {
    const own = await run(sizes);
    if (!isRejection(own.reply)) return { ...own, extents: sizes };
    const ended = await run(rounded);
    if (this.#rejected.size === MAX_REMEMBERED) this.#rejected.clear();
    if (ended.reply.ok) this.#rejected.add(String(sizes));
    return { ...ended, extents: rounded };
  }
}

/** Whether the model rejected its inputs, perhaps for their sizes. */
function isRejection(reply: FeedsReply): boolean {
  return !reply.ok && !reply.fatal && reply.error.code === "INFERENCE_FAILED";
}
