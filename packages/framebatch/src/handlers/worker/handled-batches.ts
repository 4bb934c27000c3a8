import { Collator } from "@framebatch/rows/collate/collator.js";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { withoutStates, withStateEntries } from "@framebatch/rows/model/recurrence.js";
import { paddingWithoutStates } from "@framebatch/rows/padding/padding-plan.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { isPromiseLike } from "@framebatch/batcher/calls/user-call.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { enclosing, volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { Outputs, TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { RunReply } from "../../transport/protocol.js";
import type { HandledOutcome, ItemsRequest } from "../handler-messages.js";
import type { StateData } from "../../sequences/sequence-messages.js";
import type { Sent } from "../../transport/transport.js";
import type { Serve } from "../../worker/session/feeds-reply.js";
import { LoneSizes } from "../../worker/session/lone-sizes.js";
import type { Backend } from "../../worker/session/trial.js";
import type { AnyHandlers } from "./handlers.js";
import { handlerFailed, isHandlerError, sendable, type SendableResult } from "./handler-errors.js";
import type { HeldItem, HeldRow, Preprocess } from "./held-items.js";
import type { ItemBatch, ItemWork, TakenItem } from "./item-batches.js";
import { prepare, copyOfMemory, memoryFor } from "./preprocess.js";
import { orDestroy } from "../../worker/ort/device-rows.js";
import type { DeviceAccess } from "../../worker/ort/device-memory.js";
import { releaseState, type StatesBefore, SequenceStates } from "../../sequences/worker/sequence-states.js";
import { type StateAfter, type StatedRows, StateRuns } from "../../sequences/worker/state-runs.js";

/** An item of a batch that has its row. */
interface Member {
  readonly item: HeldItem;
  readonly row: HeldRow;
  /** Its place in the batch. */
  readonly place: number;
}

/** What `postprocess` returned, and what it remembers. */
interface Result {
  readonly sent: SendableResult;
  readonly memory: unknown;
}

/** The states after the steps of a batch that nothing has kept yet. */
type StatesAfter = Map<HeldItem, StateAfter>;

/** Runs batches of items through `preprocess`, the model and `postprocess`. */
export class HandledBatches implements ItemWork {
  readonly #handlers: AnyHandlers;
  /** What items and answers have: without states. */
  readonly #signature: Backend["signature"];
  readonly #states: Backend["states"];
  readonly #sequences: SequenceStates;
  readonly #runs: StateRuns;
  readonly #allowedBatchSizes: readonly number[];
  readonly #reader: InputReader;
  readonly #collator: Collator;
  readonly #sizes: LoneSizes;

  constructor(
    handlers: AnyHandlers,
    { signature, padding, states }: Pick<Backend, "signature" | "padding" | "states">,
    allowedBatchSizes: readonly number[],
    kept: DeviceAccess | null,
  ) {
    this.#handlers = handlers;
    this.#signature = withoutStates({ signature, states });
    this.#states = states;
    this.#sequences = new SequenceStates(states);
    this.#runs = new StateRuns(signature, states, kept);
    this.#reader = InputReader.for(this.#signature, paddingWithoutStates(padding, states));
    this.#allowedBatchSizes = signature.fixedBatch === null ? allowedBatchSizes : [signature.fixedBatch];
    this.#collator = new Collator(signature, padding);
    this.#sizes = new LoneSizes(padding);
  }

  before({ items, steps }: ItemsRequest): StatesBefore {
    return this.#sequences.before(items.length, steps);
  }

  endSequence(sequence: number): void {
    this.#sequences.end(sequence);
  }

  release(): void {
    this.#sequences.endAll();
  }

  readonly preprocess: Preprocess = async (value, signal, state) => {
    try {
      const memory = memoryFor(this.#handlers, state?.memory);
      const context = { signature: this.#signature, signal, sequence: memory };
      const read = (inputs: unknown) => this.#reader.admit(inputs);
      const { tensors: row, passed } = await prepare(this.#handlers, value, context, read);
      if (passed === undefined && memory === undefined) return row;
      return { ...row, ...(passed !== undefined && { passed }), memory };
    } catch (thrown) {
      return isHandlerError(thrown) ? thrown : handlerFailed("preprocess", thrown);
    }
  };

  async run(items: readonly TakenItem[], batch: ItemBatch, serve: Serve): Promise<Sent<RunReply>> {
    const after: StatesAfter = new Map();
    try {
      return await this.#run(items, batch, after, serve);
    } finally {
      for (const { state } of after.values()) releaseState(state);
    }
  }

  /** @param after receives the states of all steps, and loses those that are kept */
  async #run(items: readonly TakenItem[], batch: ItemBatch, after: StatesAfter, serve: Serve): Promise<Sent<RunReply>> {
    const { isAlone, steps } = batch;
    const ran: { readonly member: Member; readonly outputs: Outputs }[] = [];
    let inferenceMs = 0;
    let elements = 0;
    for (const members of groupsOf(items)) {
      const reply = await this.#runGroup(members, batch, after, serve);
      // Of the others, some may have failed in `preprocess`, and some are of other groups.
      if (!reply.ok) return { reply: { ...reply, isPartial: members.length < items.length }, transfer: [] };
      inferenceMs += reply.inferenceMs;
      elements += members.length * reply.volume;
      for (const [index, member] of members.entries()) ran.push({ member, outputs: reply.outputs[index]! });
    }
    // Not before every run has succeeded: a result may take along parts of its item, which a repeated run would need.
    const results = new Map(ran.map(({ member, outputs }) => [member.item, this.#finish(member, outputs)]));
    const count = ran.length;
    const run = count === 0 ? NO_ROWS_RUN : { rows: this.#paddedSize(count, isAlone), volume: elements / count };
    const { outcomes, memories, transfer } = await outcomesOf(items, results);
    const states = steps && { states: this.#keep(items, batch, after, memories) };
    return { reply: { ok: true, outcomes, inferenceMs, ...run, ...states }, transfer };
  }

  /** Runs items of one group as one batch. Returns the outputs of each. */
  async #runGroup(members: readonly Member[], { isAlone, before, steps }: ItemBatch, after: StatesAfter, serve: Serve) {
    const rows = members.map(({ row }) => row);
    const given = isAlone ? rows[0]!.sizes : rows.map(({ shape }) => shape.extents).reduce(enclosing);
    const paddedSize = this.#paddedSize(rows.length, isAlone);
    const ownSteps = members.map(({ place }) => steps?.[place] ?? null);
    const ownBefore = { ofRows: members.map(({ place }) => before!.ofRows[place]!) };
    const { reply, extents, ...left } = await this.#sizes.run(
      given,
      // Two runs in two turns: the worker tells the page which of its batches executes.
      (task) => task(serve),
      (sizes, served) => {
        const stack: StatedRows["stack"] = (ofStates, isStacked) =>
          this.#collator.stack(this.#withStates(rows, ofStates), paddedSize, sizes, isStacked);
        return this.#runs.run({ before: ownBefore, steps: ownSteps, paddedSize, stack }, served);
      },
    );
    if (!reply.ok) return reply;
    const isIn = (output: string) => this.#runs.isIn(reply, output);
    const split = orDestroy(left.onDevice, () => this.#collator.split(rows, reply.outputs, paddedSize, extents, isIn));
    const states = this.#runs.after(ownSteps, left, (name) => split.map((outputs) => outputs[name]!.data));
    for (const [index, state] of states.entries()) if (state !== null) after.set(members[index]!.item, state);
    for (const outputs of split) for (const { output } of this.#states) delete outputs[output.name];
    return { ok: true, outputs: split, inferenceMs: reply.inferenceMs, volume: volumeOf(extents) } as const;
  }

  #withStates(rows: readonly HeldRow[], ofStates: readonly (readonly TensorData[])[]): readonly PreparedItem[] {
    if (this.#states.length === 0) return rows;
    return rows.map((row, index) => {
      const states = ofStates.map((column) => column[index] ?? null);
      return { ...row, data: withStateEntries(row.data, this.#states, states) };
    });
  }

  /** Keeps the states after those steps that have succeeded. Returns what they return. */
  #keep(
    items: readonly TakenItem[],
    { before, steps = [] }: ItemBatch,
    after: StatesAfter,
    memories: ReadonlyMap<HeldItem, unknown>,
  ): (StateData | null)[] {
    const kept = items.map(({ item }) => {
      const state = memories.has(item) ? after.get(item) : undefined;
      if (state === undefined) return null;
      after.delete(item);
      const memory = memories.get(item);
      return { state: { ...state.state, memory }, returned: state.returned && { ...state.returned, memory } };
    });
    const states = kept.map((step) => step && step.state);
    this.#sequences.keep(before!, states, steps);
    return kept.map((step) => step && step.returned);
  }

  /** The number of rows to run. A single item that runs alone is padded only if the model demands it. */
  #paddedSize(rows: number, isAlone: boolean): number {
    if (isAlone) return this.#signature.fixedBatch ?? 1;
    return this.#allowedBatchSizes.find((size) => size >= rows) ?? rows;
  }

  /**
   * Clones what `postprocess` does not promise in the same task, before it is called again: it may reuse its arrays.
   */
  async #finish({ item, row }: Member, outputs: Outputs): Promise<Result | FramebatchError> {
    try {
      // A batch that runs again gives the same memory to `postprocess` again.
      const memory = copyOfMemory(row.memory);
      const returned = this.#postprocess(item, row.passed, memory, outputs);
      const sent = sendable("postprocess", isPromiseLike(returned) ? await returned : returned, outputs);
      return sent instanceof FramebatchError ? sent : { sent, memory: copyOfMemory(memory) };
    } catch (thrown) {
      return isHandlerError(thrown) ? thrown : handlerFailed("postprocess", thrown);
    }
  }

  #postprocess(item: HeldItem, passed: unknown, sequence: unknown, outputs: Outputs): unknown {
    const { signal } = item.withdrawal;
    if (this.#handlers.postprocess === undefined || signal.aborted) return outputs;
    return this.#handlers.postprocess(outputs, item.value, { signature: this.#signature, signal, passed, sequence });
  }
}

/** What a batch of items without rows has run. */
const NO_ROWS_RUN = { rows: 0, volume: 0 };

/** What becomes of the items of a batch. */
interface Outcomes {
  readonly outcomes: HandledOutcome[];
  /** What the items that have not failed remember. */
  readonly memories: ReadonlyMap<HeldItem, unknown>;
  readonly transfer: Transferable[];
}

/** Returns the outcome of each item, and what is transferred with them. */
async function outcomesOf(
  items: readonly TakenItem[],
  results: ReadonlyMap<HeldItem, Promise<Result | FramebatchError>>,
): Promise<Outcomes> {
  const outcomes: HandledOutcome[] = [];
  const memories = new Map<HeldItem, unknown>();
  const transfer: Transferable[] = [];
  for (const { item, row } of items) {
    const result = row instanceof FramebatchError ? row : await results.get(item)!;
    if (result instanceof FramebatchError) outcomes.push({ error: encodeError(result) });
    else {
      memories.set(item, result.memory);
      outcomes.push({ value: result.sent.value });
      transfer.push(...result.sent.transfer);
    }
  }
  return { outcomes, memories, transfer };
}

/** Groups the items that have a row by whether their rows may share a batch. */
function groupsOf(items: readonly TakenItem[]): Iterable<Member[]> {
  const groups = new Map<string, Member[]>();
  for (const [place, { item, row }] of items.entries()) {
    if (row === null || row instanceof FramebatchError) continue;
    const group = groups.get(row.shape.group);
    const member = { item, row, place };
    if (group === undefined) groups.set(row.shape.group, [member]);
    else group.push(member);
  }
  return groups.values();
}
