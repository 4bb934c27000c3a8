import type { AnyHandlers, HandlerContext } from "./handlers.js";
import { handlerFailed } from "./handler-errors.js";
import { Passing } from "./passed-value.js";

/** What `preprocess` makes of an item. Nothing is checked yet. */
interface Made {
  readonly inputs: unknown;
  readonly passed: unknown;
}

/** Returns the tensors of an item: what `preprocess` returns, or else the item itself. @throws HANDLER_FAILED */
export async function prepare(
  handlers: AnyHandlers,
  item: unknown,
  signature: HandlerContext["signature"],
  signal: AbortSignal,
): Promise<Made> {
  if (handlers.preprocess === undefined) return { inputs: item, passed: undefined };
  try {
    const made = await handlers.preprocess(item, { signature, signal });
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
  const made = await Promise.all(samples.map((sample) => prepare(handlers, sample, signature, signal)));
  return made.map(({ inputs }) => inputs);
}
