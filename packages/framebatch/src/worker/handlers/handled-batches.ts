import { Collator } from "@framebatch/rows/collate/collator.js";
import { InputReader } from "@framebatch/rows/collate/input-reader.js";
import { withStateEntries } from "@framebatch/rows/collate/state-entries.js";
import { withoutStates } from "@framebatch/rows/model/recurrence.js";
import { paddingWithoutStates } from "@framebatch/rows/padding/without-states.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { enclosing, volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { Outputs, Tensor, TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { HandledOutcome, ItemsRequest, RunReply, StateData } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { ServeFeeds } from "../session/feeds-reply.js";
import type { Backend } from "../session/trial.js";
import type { AnyHandlers } from "./handlers.js";
import { handlerFailed, isHandlerError } from "./handler-errors.js";
import type { HeldItem, HeldRow, Preprocess } from "./held-items.js";
import type { ItemBatch, ItemWork, TakenItem } from "./item-batches.js";
import { prepare } from "./preprocess.js";
import { copyOfMemory, memoryFor } from "./sequence-memory.js";
import { type StatesBefore, SequenceStates } from "../sequences/sequence-states.js";
import { sendable } from "./sendable.js";

/** An item of a batch that has its row. */
interface Member {
  readonly item: HeldItem;
  /** With the state from which it starts. */
  readonly row: HeldRow;
}

/** What `postprocess` returned, the outputs that it got, and the state after the item. */
interface Result {
  readonly value: unknown;
  readonly outputs: Outputs;
  readonly state: StateData;
}

/** What a run leaves for an item: its outputs, and the tensors of its state. */
interface Ran {
  readonly outputs: Outputs;
  readonly tensors: readonly TensorData[];
}

/** Runs batches of items through `preprocess`, the model and `postprocess`. */
export class HandledBatches implements ItemWork {
  readonly #handlers: AnyHandlers;
  /** What items and answers have: without states. */
  readonly #signature: Backend["signature"];
  readonly #states: Backend["states"];
  readonly #sequences: SequenceStates;
  readonly #allowedBatchSizes: readonly number[];
  readonly #reader: InputReader;
  readonly #collator: Collator;

  constructor(
    handlers: AnyHandlers,
    { signature, padding, states }: Pick<Backend, "signature" | "padding" | "states">,
    allowedBatchSizes: readonly number[],
  ) {
    this.#handlers = handlers;
    this.#signature = withoutStates({ signature, states });
    this.#states = states;
    this.#sequences = new SequenceStates(states);
    this.#reader = InputReader.for(this.#signature, paddingWithoutStates(padding, states));
    this.#allowedBatchSizes = signature.fixedBatch === null ? allowedBatchSizes : [signature.fixedBatch];
    this.#collator = new Collator(signature, padding);
  }

  before({ items, steps }: ItemsRequest): StatesBefore {
    return this.#sequences.before(items.length, steps);
  }

  endSequence(sequence: number): void {
    this.#sequences.end(sequence);
  }

  readonly preprocess: Preprocess = async (value, signal, state) => {
    try {
      const memory = memoryFor(this.#handlers, state?.memory);
      const context = { signature: this.#signature, signal, sequence: memory };
      const { inputs, passed } = await prepare(this.#handlers, value, context);
      const row = this.#reader.admit(inputs);
      if (passed === undefined && memory === undefined) return row;
      return { ...row, ...(passed !== undefined && { passed }), memory };
    } catch (thrown) {
      return isHandlerError(thrown) ? thrown : handlerFailed("preprocess", thrown);
    }
  };

  async run(items: readonly TakenItem[], batch: ItemBatch, serve: ServeFeeds): Promise<Sent<RunReply>> {
    const { isAlone, before, steps } = batch;
    const results = new Map<HeldItem, Promise<Result | FramebatchError>>();
    let inferenceMs = 0;
    let elements = 0;
    for (const members of groupsOf(this.#withStates(items, before))) {
      const reply = await this.#runGroup(members, isAlone, serve);
      if (!reply.ok) return { reply, transfer: [] };
      inferenceMs += reply.inferenceMs;
      elements += members.length * reply.volume;
      for (const [index, member] of members.entries())
        results.set(member.item, this.#finish(member, reply.ran[index]!));
    }
    const count = results.size;
    const ran = count === 0 ? NOTHING : { rows: this.#paddedSize(count, isAlone), volume: elements / count };
    const { outcomes, after, transfer } = await outcomesOf(items, results);
    const states = before && steps ? { states: this.#sequences.keep(before, after, steps) } : {};
    return { reply: { ok: true, outcomes, inferenceMs, ...ran, ...states }, transfer };
  }

  /** Puts the state from which each item starts into its row. */
  #withStates(items: readonly TakenItem[], before: StatesBefore | null): readonly TakenItem[] {
    if (this.#states.length === 0 || before === null) return items;
    return items.map(({ item, row }, index) => {
      if (row === null || row instanceof FramebatchError) return { item, row };
      const data = withStateEntries(row.data, this.#states, before.ofRows[index]!.tensors);
      return { item, row: { ...row, data } };
    });
  }

  /** Runs items of one group as one batch. Returns what it leaves for each. */
  async #runGroup(members: readonly Member[], isAlone: boolean, serve: ServeFeeds) {
    const rows = members.map(({ row }) => row);
    const extents = isAlone ? ownExtents(rows[0]!) : rows.map(({ shape }) => shape.extents).reduce(enclosing);
    const paddedSize = this.#paddedSize(rows.length, isAlone);
    const reply = await serve(this.#collator.stack(rows, paddedSize, extents));
    if (!reply.ok) return reply;
    const ran = this.#collator.split(rows, reply.outputs, paddedSize, extents).map((row) => this.#withoutStates(row));
    return { ok: true, ran, inferenceMs: reply.inferenceMs, volume: volumeOf(extents) } as const;
  }

  #withoutStates(outputs: Record<string, Tensor>): Ran {
    const tensors = this.#states.map(({ output }) => outputs[output.name]!.data);
    for (const { output } of this.#states) delete outputs[output.name];
    return { outputs, tensors };
  }

  /** The number of rows to run. A single item that runs alone is padded only if the model demands it. */
  #paddedSize(rows: number, isAlone: boolean): number {
    if (isAlone) return this.#signature.fixedBatch ?? 1;
    return this.#allowedBatchSizes.find((size) => size >= rows) ?? rows;
  }

  async #finish({ item, row }: Member, ran: Ran): Promise<Result | FramebatchError> {
    try {
      // A batch that runs again gives the same memory to `postprocess` again.
      const memory = copyOfMemory(row.memory);
      const value = await this.#postprocess(item, row.passed, memory, ran.outputs);
      return { value, outputs: ran.outputs, state: { tensors: ran.tensors, memory: copyOfMemory(memory) } };
    } catch (thrown) {
      return isHandlerError(thrown) ? thrown : handlerFailed("postprocess", thrown);
    }
  }

  async #postprocess(item: HeldItem, passed: unknown, sequence: unknown, outputs: Outputs): Promise<unknown> {
    const { signal } = item.withdrawal;
    if (this.#handlers.postprocess === undefined || signal.aborted) return outputs;
    return this.#handlers.postprocess(outputs, item.value, { signature: this.#signature, signal, passed, sequence });
  }
}

/** What a batch of items without rows has run. */
const NOTHING = { rows: 0, volume: 0 };

/** What becomes of the items of a batch. */
interface Outcomes {
  readonly outcomes: HandledOutcome[];
  /** The state after each item; `null` if it has failed. */
  readonly after: readonly (StateData | null)[];
  readonly transfer: Transferable[];
}

/**
 * Returns the outcome of each item, and what is transferred with them. Called when every run has succeeded: cloning a
 * result may move parts of its item, which a repeated run would need.
 */
async function outcomesOf(
  items: readonly TakenItem[],
  results: ReadonlyMap<HeldItem, Promise<Result | FramebatchError>>,
): Promise<Outcomes> {
  const outcomes: HandledOutcome[] = [];
  const after: (StateData | null)[] = [];
  const transfer: Transferable[] = [];
  for (const { item, row } of items) {
    const result = row instanceof FramebatchError ? row : await results.get(item)!;
    const sent = result instanceof FramebatchError ? result : sendable("postprocess", result.value, result.outputs);
    after.push(result instanceof FramebatchError || sent instanceof FramebatchError ? null : result.state);
    if (sent instanceof FramebatchError) outcomes.push({ error: encodeError(sent) });
    else {
      outcomes.push({ value: sent.value });
      transfer.push(...sent.transfer);
    }
  }
  return { outcomes, after, transfer };
}

/** Groups the items that have a row by whether their rows may share a batch. */
function groupsOf(items: readonly TakenItem[]): Iterable<Member[]> {
  const groups = new Map<string, Member[]>();
  for (const { item, row } of items) {
    if (row === null || row instanceof FramebatchError) continue;
    const group = groups.get(row.shape.group);
    if (group === undefined) groups.set(row.shape.group, [{ item, row }]);
    else group.push({ item, row });
  }
  return groups.values();
}

function ownExtents({ shape }: PreparedItem): readonly number[] {
  return shape.ownExtents ?? shape.extents;
}
