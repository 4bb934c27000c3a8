import { Collator } from "@framebatch/rows/collate/collator.js";
import { transferList } from "@framebatch/rows/collate/sent-rows.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import type { RowsRequest } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { FeedsReply, InTurn } from "../session/feeds-reply.js";
import { LoneSizes } from "../session/lone-sizes.js";
import type { Backend } from "../session/trial.js";
import { notLoaded } from "./replies.js";
import { returned, type RowsReply } from "./returned-rows.js";
import type { KeptParts } from "../kept/kept-parts.js";
import { KeptRuns } from "../kept/kept-runs.js";
import { StatedRowRuns } from "./stated-row-runs.js";

/** Runs rows of tensors: stacks and pads them, runs them, and splits and trims the outputs. */
export class RowRuns {
  readonly #collator: Collator;
  readonly #inTurn: InTurn;
  readonly #runFeeds: (feeds: Readonly<Record<string, Tensor>>) => Promise<FeedsReply>;
  readonly #sizes: LoneSizes;
  /** Whether sizes of items differ. */
  readonly #isSized: boolean;
  /** `null` if the model has no states. */
  readonly #stated: StatedRowRuns | null;
  readonly #kept: KeptRuns;

  /**
   * @param inTurn gives runs their turn
   * @param runFeeds runs feeds when it is their turn
   */
  constructor(
    { signature, padding, states }: Pick<Backend, "signature" | "padding" | "states">,
    inTurn: InTurn,
    runFeeds: (feeds: Readonly<Record<string, Tensor>>) => Promise<FeedsReply>,
    kept: KeptParts,
  ) {
    const collator = new Collator(signature, padding);
    this.#collator = collator;
    this.#inTurn = inTurn;
    this.#runFeeds = runFeeds;
    this.#isSized = padding.extents.length > 0;
    this.#sizes = new LoneSizes(padding);
    this.#stated = states.length === 0 ? null : new StatedRowRuns(signature, states, collator, this.#sizes, kept);
    this.#kept = new KeptRuns({ signature, padding, collator, ...kept });
  }

  async run(request: RowsRequest): Promise<Sent<RowsReply>> {
    const { rows, paddedSize } = request;
    try {
      if ((request.keeps ?? request.reads) !== undefined) return await this.#runKept(request);
      if (this.#stated !== null) return await this.#stated.run(request, this.#inTurn);
      const { reply, extents } = this.#isSized
        ? await this.#runSized(request)
        : { reply: await this.#runFeeds(this.#collator.stackSent(rows, paddedSize, [])), extents: [] };
      if (!reply.ok) return returned(reply, request);
      const outputs = this.#collator.answer(rows, reply.outputs, paddedSize, extents);
      return { reply: { ok: true, outputs, inferenceMs: reply.inferenceMs }, transfer: transferList(outputs) };
    } catch (thrown) {
      return returned({ ok: false, error: encodeError(thrown), fatal: false }, request);
    }
  }

  #runSized({ rows, paddedSize, extents }: RowsRequest) {
    return this.#sizes.run(extents, this.#inTurn, async (sizes, serve) => {
      const feeds = this.#collator.stackSent(rows, paddedSize, sizes);
      return { reply: await serve((run) => run(feeds)) };
    });
  }

  /** Runs rows that read tensors of this worker, or leave some in it. A model with states has none. */
  async #runKept(request: RowsRequest): Promise<Sent<RowsReply>> {
    const { rows, paddedSize, wants } = request;
    const ended = await this.#sizes.run(request.extents, this.#inTurn, (extents, serve) =>
      this.#kept.run({ ...request, extents }, serve),
    );
    const { reply, onDevice, extents } = ended;
    if (!reply.ok) return returned(reply, request);
    const isWanted = (name: string) => !onDevice.has(name) && (wants?.includes(name) ?? true);
    const answer = () => this.#collator.answer(rows, reply.outputs, paddedSize, extents, isWanted);
    const outputs = this.#kept.keep(request, answer, onDevice);
    return { reply: { ok: true, outputs, inferenceMs: reply.inferenceMs }, transfer: transferList(outputs) };
  }

  /** Releases what the rows of this model have left in the worker. */
  release(): void {
    this.#kept.release();
    this.#stated?.release();
  }

  /** Drops the state of a sequence. */
  readonly endSequence = (sequence: number): void => this.#stated?.endSequence(sequence);
}

/** What a worker has before its model is loaded. */
export const NO_ROWS: Pick<RowRuns, "run" | "endSequence" | "release"> = {
  endSequence: () => undefined,
  release: () => undefined,
  run(request) {
    return Promise.resolve(returned(notLoaded(), request));
  },
};
