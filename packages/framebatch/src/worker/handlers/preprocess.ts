import type { AnyHandlers, HandlerContext } from "./handlers.js";
import { handlerFailed } from "./handler-errors.js";

/** Returns the tensors of an item: what `preprocess` returns, or else the item itself. @throws HANDLER_FAILED */
export async function tensorsOf(
  handlers: AnyHandlers,
  item: unknown,
  signature: HandlerContext["signature"],
  signal: AbortSignal,
): Promise<unknown> {
  if (handlers.preprocess === undefined) return item;
  try {
    return await handlers.preprocess(item, { signature, signal });
  } catch (thrown) {
    throw handlerFailed("preprocess", thrown);
  }
}

/** Returns the tensors of the user's samples. @throws HANDLER_FAILED */
export function preprocessSamples(
  handlers: AnyHandlers,
  samples: readonly unknown[],
  signature: HandlerContext["signature"],
): Promise<readonly unknown[]> {
  const { signal } = new AbortController();
  return Promise.all(samples.map((sample) => tensorsOf(handlers, sample, signature, signal)));
}
