import { Collator } from "@framebatch/rows/collate/collator.js";
import { transferList, type AnsweredRows, tensorsOf } from "@framebatch/rows/collate/sent-rows.js";
import { setOwn, type Tensor } from "@framebatch/rows/tensor/tensor.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import type { RowsRequest, RowsAnswer } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { FeedsReply, InTurn } from "../session/feeds-reply.js";
import { LoneSizes } from "../session/lone-sizes.js";
import type { Backend } from "../session/trial.js";
import { notLoaded, returned, type RowsReply } from "./replies.js";
import type { KeptParts } from "../../kept/worker/kept-rows.js";
import { KeptRuns } from "../../kept/worker/kept-runs.js";
import { type StateTensor, withStateEntries } from "@framebatch/rows/model/recurrence.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { orDestroy } from "../ort/device-rows.js";
import type { DeviceAccess } from "../ort/device-memory.js";
import { releaseBefore, SequenceStates, type StatesBefore } from "../../sequences/worker/sequence-states.js";
import { type LeftOnDevice, type Ran, type StatedRows, StateRuns } from "../../sequences/worker/state-runs.js";

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

/** Runs rows of tensors of a model with states: adds the state of each row, and takes the next one off its answer. */
export class StatedRowRuns {
  readonly #states: readonly StateTensor[];
  readonly #collator: Collator;
  readonly #sizes: LoneSizes;
  readonly #sequences: SequenceStates;
  readonly #runs: StateRuns;

  constructor(
    signature: ModelSignature,
    states: readonly StateTensor[],
    collator: Collator,
    sizes: LoneSizes,
    kept: DeviceAccess,
  ) {
    this.#states = states;
    this.#collator = collator;
    this.#sizes = sizes;
    this.#sequences = new SequenceStates(states);
    this.#runs = new StateRuns(signature, states, kept);
  }

  /** @throws SEQUENCE_LOST when the state of a step is not here; why the rows cannot be stacked or split */
  async run(request: RowsRequest, inTurn: InTurn): Promise<Sent<RowsReply>> {
    const { rows, steps } = request;
    const before = this.#sequences.before(rows.count, steps);
    try {
      const { reply, extents, ...left } = await this.#sizes.run(request.extents, inTurn, (sizes, serve) =>
        this.#runs.run(this.#rowsOf({ ...request, extents: sizes }, before), serve),
      );
      if (!reply.ok) return returned(reply, request);
      const answer = this.#answer(request, this.#split({ ...request, extents }, reply, left), left, before);
      const { inferenceMs } = reply;
      return { reply: { ok: true, ...answer, inferenceMs }, transfer: transferList(answer.outputs) };
    } finally {
      releaseBefore(before);
    }
  }

  #rowsOf({ rows, paddedSize, extents, steps }: RowsRequest, before: StatesBefore): StatedRows {
    const stack: StatedRows["stack"] = (ofStates, isStacked) => {
      const columns = withStateEntries(rows.columns, this.#states, ofStates);
      return this.#collator.stackSent({ ...rows, columns }, paddedSize, extents, isStacked);
    };
    return { before, steps, paddedSize, stack };
  }

  /** Takes the new states off the answers of a run that has succeeded, and keeps those of steps, all at once. */
  #answer(
    { rows, steps }: RowsRequest,
    answered: AnsweredRows,
    left: LeftOnDevice,
    before: StatesBefore,
  ): Pick<RowsAnswer, "outputs" | "states"> {
    const outputs = this.#withoutStates(answered);
    if (steps === undefined) return { outputs };
    const after = this.#runs.after(steps, left, (name) =>
      tensorsOf(answered[name] ?? [], rows.count).map(({ data }) => data),
    );
    this.#sequences.keep(
      before,
      after.map((step) => step && step.state),
      steps,
    );
    return { outputs, states: after.map((step) => step && step.returned) };
  }

  #split({ rows, paddedSize, extents }: RowsRequest, reply: Ran, left: LeftOnDevice): AnsweredRows {
    const isIn = (output: string) => this.#runs.isIn(reply, output);
    return orDestroy(left.onDevice, () => this.#collator.answer(rows, reply.outputs, paddedSize, extents, isIn));
  }

  #withoutStates(answered: AnsweredRows): AnsweredRows {
    const names = new Set(this.#states.map(({ output }) => output.name));
    const outputs: Record<string, AnsweredRows[string]> = {};
    for (const [name, tensors] of Object.entries(answered)) if (!names.has(name)) setOwn(outputs, name, tensors);
    return outputs;
  }

  endSequence(sequence: number): void {
    this.#sequences.end(sequence);
  }

  /** Drops all states. */
  release(): void {
    this.#sequences.endAll();
  }
}
