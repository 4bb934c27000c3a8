import { Collator } from "../../core/collate/collator.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import { encodeError } from "../../core/error-data.js";
import { FramebatchError } from "../../core/errors.js";
import { enclosing, volumeOf } from "../../core/shape.js";
import type { Outputs } from "../../core/tensor/tensor.js";
import type { HandledOutcome, RunReply } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { ServeFeeds } from "../session/feeds-reply.js";
import type { Backend } from "../session/trial.js";
import type { AnyHandlers } from "./handlers.js";
import { handlerFailed, isHandlerError } from "./handler-errors.js";
import type { HeldItem, HeldRow } from "./held-items.js";
import type { ItemWork, TakenItem } from "./item-batches.js";
import { prepare } from "./preprocess.js";
import { sendable } from "./sendable.js";

/** An item of a batch that has its row. */
interface Member {
  readonly item: HeldItem;
  readonly row: HeldRow;
}

/** What `postprocess` returned, and the outputs that it got. */
interface Result {
  readonly value: unknown;
  readonly outputs: Outputs;
}

/** Runs batches of items through `preprocess`, the model and `postprocess`. */
export class HandledBatches implements ItemWork {
  readonly #handlers: AnyHandlers;
  readonly #signature: Backend["signature"];
  readonly #allowedBatchSizes: readonly number[];
  readonly #serve: ServeFeeds;
  readonly #collator: Collator;

  constructor(
    handlers: AnyHandlers,
    { signature, padding }: Pick<Backend, "signature" | "padding">,
    allowedBatchSizes: readonly number[],
    serve: ServeFeeds,
  ) {
    this.#handlers = handlers;
    this.#signature = signature;
    this.#allowedBatchSizes = signature.fixedBatch === null ? allowedBatchSizes : [signature.fixedBatch];
    this.#serve = serve;
    this.#collator = new Collator(signature, padding);
  }

  readonly preprocess = async (value: unknown, signal: AbortSignal): Promise<HeldRow | FramebatchError> => {
    try {
      const { inputs, passed } = await prepare(this.#handlers, value, this.#signature, signal);
      const row = this.#collator.admit(inputs);
      return passed === undefined ? row : { ...row, passed };
    } catch (thrown) {
      return isHandlerError(thrown) ? thrown : handlerFailed("preprocess", thrown);
    }
  };

  async run(items: readonly TakenItem[], isAlone: boolean, begins: () => void): Promise<Sent<RunReply>> {
    const results = new Map<HeldItem, Promise<Result | FramebatchError>>();
    let inferenceMs = 0;
    let elements = 0;
    for (const members of groupsOf(items)) {
      const reply = await this.#runGroup(members, isAlone, begins);
      if (!reply.ok) return { reply, transfer: [] };
      inferenceMs += reply.inferenceMs;
      elements += members.length * reply.volume;
      for (const [index, member] of members.entries())
        results.set(member.item, this.#finish(member, reply.outputs[index]!));
    }
    const count = results.size;
    const ran = count === 0 ? NOTHING : { rows: this.#paddedSize(count, isAlone), volume: elements / count };
    const { outcomes, transfer } = await outcomesOf(items, results);
    return { reply: { ok: true, outcomes, inferenceMs, ...ran }, transfer };
  }

  /** Runs items of one group as one batch. Returns the outputs of each. */
  async #runGroup(members: readonly Member[], isAlone: boolean, begins: () => void) {
    const rows = members.map(({ row }) => row);
    const extents = isAlone ? ownExtents(rows[0]!) : rows.map(({ shape }) => shape.extents).reduce(enclosing);
    const paddedSize = this.#paddedSize(rows.length, isAlone);
    const reply = await this.#serve(this.#collator.stack(rows, paddedSize, extents), begins);
    if (!reply.ok) return reply;
    const outputs = this.#collator.split(rows, reply.outputs, paddedSize, extents);
    return { ok: true, outputs, inferenceMs: reply.inferenceMs, volume: volumeOf(extents) } as const;
  }

  /** The number of rows to run. A single item that runs alone is padded only if the model demands it. */
  #paddedSize(rows: number, isAlone: boolean): number {
    if (isAlone) return this.#signature.fixedBatch ?? 1;
    return this.#allowedBatchSizes.find((size) => size >= rows) ?? rows;
  }

  async #finish({ item, row: { passed } }: Member, outputs: Outputs): Promise<Result | FramebatchError> {
    const {
      value,
      withdrawal: { signal },
    } = item;
    try {
      if (this.#handlers.postprocess === undefined || signal.aborted) return { value: outputs, outputs };
      const context = { signature: this.#signature, signal, passed };
      return { value: await this.#handlers.postprocess(outputs, value, context), outputs };
    } catch (thrown) {
      return handlerFailed("postprocess", thrown);
    }
  }
}

/** What a batch of items without rows has run. */
const NOTHING = { rows: 0, volume: 0 };

/**
 * Returns the outcome of each item, and what is transferred with them. Called when every run has succeeded: cloning a
 * result may move parts of its item, which a repeated run would need.
 */
async function outcomesOf(
  items: readonly TakenItem[],
  results: ReadonlyMap<HeldItem, Promise<Result | FramebatchError>>,
): Promise<{ readonly outcomes: HandledOutcome[]; readonly transfer: Transferable[] }> {
  const outcomes: HandledOutcome[] = [];
  const transfer: Transferable[] = [];
  for (const { item, row } of items) {
    const result = row instanceof FramebatchError ? row : await results.get(item)!;
    const sent = result instanceof FramebatchError ? result : sendable("postprocess", result.value, result.outputs);
    if (sent instanceof FramebatchError) outcomes.push({ error: encodeError(sent) });
    else {
      outcomes.push({ value: sent.value });
      transfer.push(...sent.transfer);
    }
  }
  return { outcomes, transfer };
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
