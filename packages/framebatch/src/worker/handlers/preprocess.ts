import type { AnyHandlers, HandlerContext } from "./handlers.js";
import { handlerFailed } from "./handler-errors.js";
import { Passing } from "./passed-value.js";
import { memoryFor } from "./sequence-memory.js";

/** What `preprocess` makes of an item. Nothing is checked yet. */
interface Made {
  readonly inputs: unknown;
  readonly passed: unknown;
}

/** Returns the tensors of an item: what `preprocess` returns, or else the item itself. @throws HANDLER_FAILED */
export async function prepare(handlers: AnyHandlers, item: unknown, context: HandlerContext<unknown>): Promise<Made> {
  if (handlers.preprocess === undefined) return { inputs: item, passed: undefined };
  try {
    const made = await handlers.preprocess(item, context);
    return made instanceof Passing ? made : { inputs: made, passed: undefined };
  } catch (thrown) {
    throw handlerFailed("preprocess", thrown);
  }
}

/** Returns the tensors of the user's samples. @throws HANDLER_FAILED */
export async function preprocessSamples(
  handlers: AnyHandlers,
  samples: readonly unknown[],
  signature: HandlerContext["signature"],
): Promise<readonly unknown[]> {
  const { signal } = new AbortController();
  const made = await Promise.all(
    samples.map(async (sample) => {
      return prepare(handlers, sample, { signature, signal, sequence: memoryFor(handlers, undefined) });
    }),
  );
  return made.map(({ inputs }) => inputs);
}
