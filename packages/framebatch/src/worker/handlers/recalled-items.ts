import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { hasClosed, transferablesIn, withoutClosed } from "../../transport/object-graph.js";
import type { HandledItem } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { HeldItem, HeldItems } from "./held-items.js";

/** Gives items back that no batch will contain here. */
export async function recalled(held: HeldItems, ids: readonly number[]): Promise<Sent<readonly HandledItem[]>> {
  const items = await Promise.all((await held.giveUp(ids)).map(packed));
  const reply = items.filter((item) => item !== null);
  return { reply, transfer: reply.flatMap(({ content }) => transferablesIn(content?.value)) };
}

/** Returns an item as a message can contain it; `null` if none can, because `preprocess` has given away its buffers. */
async function packed({ id, value, row }: HeldItem): Promise<HandledItem | null> {
  const prepared = await row;
  const isPassing = prepared !== null && "passed" in prepared;
  // No message contains what was passed on: the item is preprocessed again elsewhere, if it still can be.
  if (isPassing && hasClosed(value)) return null;
  const open = withoutClosed(value);
  try {
    const content = { value: structuredClone(open, { transfer: transferablesIn(open) }) };
    if (prepared === null || prepared instanceof FramebatchError || isPassing) return { id, content };
    // The array of a small input is a part of a buffer, which a message would contain as a whole.
    const data = prepared.data.map((elements) => elements?.slice() ?? null);
    return { id, content: { ...content, row: { ...prepared, data } } };
  } catch {
    return null;
  }
}
