import { isAboutItems } from "@framebatch/batcher/errors/blame.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeValue } from "@framebatch/batcher/errors/description.js";
import type { RunReply } from "../../transport/protocol.js";
import type { HandledOutcome } from "../handler-messages.js";
import type { Sent } from "../../transport/transport.js";
import { handlerFailed, sendable } from "./handler-errors.js";
import type { HeldItem } from "./held-items.js";
import type { ItemBatch, ItemWork, TakenItem } from "./item-batches.js";
import type { AnyEngine } from "./handlers.js";

/** Calls a function when nothing else runs that the worker does one at a time. */
export type Exclusively = <Result>(call: () => Promise<Result>) => Promise<Result>;

/** Runs batches of items on the user's own engine. */
export class EngineBatches implements ItemWork {
  readonly preprocess = null;
  readonly #engine: AnyEngine;
  readonly #allowedBatchSizes: readonly number[];
  readonly #exclusively: Exclusively;

  constructor(engine: AnyEngine, allowedBatchSizes: readonly number[], exclusively: Exclusively) {
    this.#engine = engine;
    this.#allowedBatchSizes = allowedBatchSizes;
    this.#exclusively = exclusively;
  }

  run(items: readonly TakenItem[], { isAlone }: Pick<ItemBatch, "isAlone">): Promise<Sent<RunReply>> {
    const held = items.map(({ item }) => item);
    return this.#exclusively(() => this.#runItems(held, isAlone));
  }

  async dispose(): Promise<void> {
    await this.#exclusively(async () => this.#engine.dispose?.());
  }

  /**
   * Computes the results of values, padded to an allowed size by repeating the last one.
   * @throws HANDLER_FAILED when the engine throws; INFERENCE_FAILED when it returns another number of results
   */
  async compute(values: readonly unknown[], isAlone: boolean, signal: AbortSignal): Promise<readonly unknown[]> {
    const size = this.#sizeFor(values.length, isAlone);
    const padding = Array.from({ length: size - values.length }, () => values.at(-1));
    const results = await this.#call([...values, ...padding], signal);
    if (!Array.isArray(results) || results.length !== size) throw wrongResults(size, results);
    return results.slice(0, values.length);
  }

  /** Returns the number of values that the engine gets for so many. */
  #sizeFor(count: number, isAlone: boolean): number {
    return isAlone ? 1 : (this.#allowedBatchSizes.find((allowed) => allowed >= count) ?? count);
  }

  async #call(values: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#engine.run(values, { signal });
    } catch (thrown) {
      throw handlerFailed("run", thrown, { isAboutItems: isAboutItems(thrown) });
    }
  }

  /** Items that were withdrawn while the batch waited do not run. */
  async #runItems(items: readonly HeldItem[], isAlone: boolean): Promise<Sent<RunReply>> {
    const wanted = items.filter(({ withdrawal }) => !withdrawal.signal.aborted);
    const startedAtMs = performance.now();
    const values = wanted.map(({ value }) => value);
    const isNeeded = wanted.length > 0;
    const results = isNeeded ? await this.compute(values, isAlone, signalOf(wanted)) : [];
    const inferenceMs = performance.now() - startedAtMs;
    const rows = isNeeded ? this.#sizeFor(wanted.length, isAlone) : 0;
    const resultOf = new Map(wanted.map((item, index) => [item, results[index]]));
    const transfer: Transferable[] = [];
    const outcomes = items.map((item) => (resultOf.has(item) ? outcomeOf(resultOf.get(item), transfer) : WITHDRAWN));
    return { reply: { ok: true, outcomes, inferenceMs, rows, volume: 0 }, transfer };
  }
}

/**
 * The outcome of an item whose request has ended, and that did not run: an error, because the page keeps results for
 * later requests.
 */
const WITHDRAWN: HandledOutcome = {
  error: encodeError(new FramebatchError("INFERENCE_FAILED", "the request ended before the item ran")),
};

/** Returns the outcome of an item. Adds what is transferred with it to `transfer`. */
function outcomeOf(result: unknown, transfer: Transferable[]): HandledOutcome {
  if (result instanceof Error) return { error: encodeError(handlerFailed("run", result)) };
  const sent = sendable("run", result);
  if (sent instanceof FramebatchError) return { error: encodeError(sent) };
  transfer.push(...sent.transfer);
  return { value: sent.value };
}

/** Returns a signal that aborts when all items have been withdrawn. */
function signalOf(items: readonly HeldItem[]): AbortSignal {
  const controller = new AbortController();
  const signals = items.map(({ withdrawal }) => withdrawal.signal);
  const look = () => signals.every(({ aborted }) => aborted) && controller.abort(signals[0]?.reason);
  for (const signal of signals) signal.addEventListener("abort", look, { once: true });
  return controller.signal;
}

function wrongResults(size: number, got: unknown): FramebatchError {
  const message = `run: expected a list of ${size} results, got ${describeValue(got)}; return one result for each item, in order`;
  return new FramebatchError("INFERENCE_FAILED", message);
}
