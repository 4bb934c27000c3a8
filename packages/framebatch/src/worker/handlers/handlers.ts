import { FramebatchError } from "../../core/errors.js";
import { hostTimer, type Timer } from "../../time/host-timer.js";
import { Watchdog } from "../../time/watchdog.js";
import type { Item, Outputs, TensorInfo } from "../../core/tensor/tensor.js";

/** Time within which the worker's module calls `serve`, in milliseconds. Its top level may await other modules. */
const SERVE_TIMEOUT_MS = 15_000;

/** What a handler gets besides its item. */
export interface HandlerContext {
  /** The `inputs` and `outputs` of the model, as `model.inputs` and `model.outputs` on the page. */
  readonly signature: { readonly inputs: readonly TensorInfo[]; readonly outputs: readonly TensorInfo[] };
  /** Aborts when the item needs no result any more: its request was aborted, superseded, timed out or disposed of. */
  readonly signal: AbortSignal;
}

/**
 * The user's functions that run in the worker, next to the model. Both may be async. An error that one of them throws
 * rejects only the request of its item, with `HANDLER_FAILED`.
 */
export interface Handlers<Input = Item, Output = Outputs> {
  /**
   * Turns an item into its tensors, without the batch axis. The tensors are copied when the function returns, so it may
   * reuse its arrays, and it may close bitmaps that `postprocess` does not need. Runs when the item arrives, as far as
   * the worker has time. May run again for the same item after a worker has died.
   * @default the item itself, which must then be tensors
   */
  preprocess?(item: Input, context: HandlerContext): Item | Promise<Item>;
  /**
   * Turns the outputs of an item into its result: anything that structured cloning can copy. The outputs belong to the
   * function: they are the item's own row, without padding. Bitmaps and frames in the item are closed afterwards, and
   * those in the result are transferred to the page, so that each can be in one result only. Those that `preprocess` has
   * closed are `null` in an item that had to move to another worker in between.
   * @default the outputs themselves
   */
  postprocess?(outputs: Outputs, item: Input, context: HandlerContext): Output | Promise<Output>;
}

export type AnyHandlers = Handlers<unknown, unknown>;

/** Waits for the handlers of this worker, which its module gives at any time. */
export class HandlerRegistration {
  #handlers: AnyHandlers | null = null;
  #onGiven: (handlers: AnyHandlers) => void = () => undefined;

  /** @throws INVALID_OPTION for a second call, or a value that is not an object of handlers */
  register(handlers: unknown): void {
    checkHandlers(handlers);
    if (this.#handlers !== null) throw invalid("one call of serve in a worker", "a second one");
    this.#handlers = handlers;
    this.#onGiven(handlers);
  }

  /**
   * Resolves when the module has called `serve`.
   * @throws WORKER_LOAD_FAILED when it does not, within the time of a slow start
   */
  inTime(timer: Timer = hostTimer): Promise<AnyHandlers> {
    return new Promise((resolve, reject) => {
      if (this.#handlers !== null) return resolve(this.#handlers);
      const watchdog = new Watchdog(timer, SERVE_TIMEOUT_MS, (ms) => reject(notServed(ms)));
      this.#onGiven = (handlers) => {
        watchdog.stop();
        resolve(handlers);
      };
    });
  }
}

function notServed(ms: number): FramebatchError {
  const message = `expected the worker's module to call serve({ preprocess, postprocess }), got no call for ${ms} ms; import it from "framebatch/worker"`;
  return new FramebatchError("WORKER_LOAD_FAILED", message);
}

const NAMES = ["preprocess", "postprocess"];

function checkHandlers(handlers: unknown): asserts handlers is AnyHandlers {
  if (typeof handlers !== "object" || handlers === null) throw invalid("serve({ preprocess, postprocess })", handlers);
  for (const [name, handler] of Object.entries(handlers)) {
    if (!NAMES.includes(name)) throw invalid("preprocess and postprocess only", `"${name}"`);
    if (handler !== undefined && typeof handler !== "function") throw invalid(`${name} to be a function`, handler);
  }
}

function invalid(expected: string, got: unknown): FramebatchError {
  return new FramebatchError("INVALID_OPTION", `serve: expected ${expected}, got ${String(got)}`);
}
