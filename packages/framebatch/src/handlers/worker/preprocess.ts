import { type AnyHandlers, type HandlerContext, Passing } from "./handlers.js";
import { isPromiseLike } from "@framebatch/batcher/calls/user-call.js";
import { handlerFailed } from "./handler-errors.js";

/** What `preprocess` makes of an item. */
interface Made<Tensors> {
  readonly tensors: Tensors;
  readonly passed: unknown;
}

/**
 * Reads the tensors of an item: what `preprocess` returns, or else the item itself. Reads what it does not promise in
 * the same task, before it is called again: it may reuse its arrays.
 * @throws HANDLER_FAILED
 */
export async function prepare<Tensors>(
  handlers: AnyHandlers,
  item: unknown,
  context: HandlerContext<unknown>,
  read: (inputs: unknown) => Tensors,
): Promise<Made<Tensors>> {
  try {
    const returned = handlers.preprocess === undefined ? item : handlers.preprocess(item, context);
    const made = isPromiseLike(returned) ? await returned : returned;
    if (made instanceof Passing) return { tensors: read(made.inputs), passed: made.passed };
    return { tensors: read(made), passed: undefined };
  } catch (thrown) {
    throw handlerFailed("preprocess", thrown);
  }
}

/** Returns the tensors of the user's samples, which are no one else's. @throws HANDLER_FAILED */
export function preprocessSamples(
  handlers: AnyHandlers,
  samples: readonly unknown[],
  signature: HandlerContext["signature"],
): Promise<readonly unknown[]> {
  const { signal } = new AbortController();
  return Promise.all(
    samples.map(async (sample) => {
      const context = { signature, signal, sequence: memoryFor(handlers, undefined) };
      return (await prepare(handlers, sample, context, copyOfTensors)).tensors;
    }),
  );
}

/**
 * Returns what returns the samples as the model takes them. Handlers get them once, although a model may be made twice:
 * they may close the images of a sample.
 * @param handlers `null` if there are none
 */
export function preprocessedOnce(handlers: AnyHandlers | null, samples: readonly unknown[]) {
  let made: Promise<readonly unknown[]> | null = null;
  return async (signature: HandlerContext["signature"]): Promise<readonly unknown[]> =>
    handlers === null ? samples : (made ??= preprocessSamples(handlers, samples, signature));
}

/**
 * Copies arrays, in tensors of any class and in records of them. What is no tensor is left to the reader of samples.
 */
function copyOfTensors(inputs: unknown): unknown {
  if (typeof inputs !== "object" || inputs === null) return inputs;
  if (Array.isArray(inputs) || ArrayBuffer.isView(inputs)) return structuredClone(inputs);
  if (!("data" in inputs && "dims" in inputs))
    return Object.fromEntries(Object.entries(inputs).map(([name, tensor]) => [name, copyOfTensors(tensor)]));
  const { data, dims } = inputs;
  return { data: copyOfTensors(data), dims: copyOfTensors(dims), type: Reflect.get(inputs, "type") };
}

/**
 * Returns what the handlers of an item remember, for a step to change: a copy of what the step before has left, or what
 * a sequence begins with.
 * @param left `undefined` before the first step
 * @throws HANDLER_FAILED
 */
export function memoryFor(handlers: AnyHandlers, left: unknown): unknown {
  try {
    return left === undefined ? handlers.begin?.() : structuredClone(left);
  } catch (thrown) {
    throw handlerFailed("begin", thrown);
  }
}

/** Returns a copy of what handlers remember, which nothing changes any more. @throws HANDLER_FAILED if it has none */
export function copyOfMemory(memory: unknown): unknown {
  if (memory === undefined) return undefined;
  try {
    return structuredClone(memory);
  } catch (thrown) {
    throw handlerFailed("begin", thrown);
  }
}
