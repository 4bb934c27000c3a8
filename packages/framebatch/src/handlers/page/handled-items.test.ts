import { expect, it } from "vitest";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { prepareHandled, ObservedVolumes } from "./handled-items.js";
import { type PageItem, PageItems } from "./page-items.js";

const BATCH = { id: 1, paddedSize: 1, extents: [], isAlone: false, reason: "idle", predictedMs: null } as const;
const UNSENT = { ok: false, error: new FramebatchError("SEQUENCE_LOST", "away"), isUnsent: true } as const;

it("an item of a batch that was not sent is sent with the next attempt", async () => {
  const items = new PageItems({ slots: [] }, {}, null, false);
  const item = items.admit({ value: 1 }, true);
  items.take(item);
  const batch: Batch<PageItem> = { ...BATCH, items: [item] };
  const sent: boolean[] = [];
  const prepared = prepareHandled(batch, new ObservedVolumes(1), null, {
    isSent: () => true,
    run: async (_client, _items, request) => {
      sent.push(request.items.every(({ content }) => content !== null));
      return UNSENT;
    },
  });
  const client: Parameters<typeof prepared.runOn>[0] = Object.create({ hasEnded: false });
  const run = { timeoutMs: 1000, isDivided: false };
  await prepared.runOn(client, run);
  await prepared.runOn(client, run);
  expect(sent).toEqual([true, true]);
});
