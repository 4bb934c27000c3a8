import { asError } from "../errors/errors.js";
import type { BatcherConfig } from "./batcher-config.js";

/** Takes an item over from its caller. Returns what makes that impossible; `null` if nothing does. */
export function takeOver<Item>({ take }: Pick<BatcherConfig<Item, unknown>, "take">, item: Item): Error | null {
  try {
    take?.(item);
    return null;
  } catch (thrown) {
    return asError(thrown);
  }
}
