import { expect, it } from "vitest";
import { HeldItems, type Preprocess } from "./held-items.js";

/** Items whose `preprocess` notes them. */
function heldItems(): { items: HeldItems; preprocessed: unknown[] } {
  const preprocessed: unknown[] = [];
  const preprocess: Preprocess = (value) => {
    preprocessed.push(value);
    return Promise.resolve({ shape: { extents: [], group: "" }, sizes: [], data: [] });
  };
  return { items: new HeldItems(preprocess), preprocessed };
}

const asItem = (value: string, id: number) => ({ id, content: { value } });

it("preprocesses items that come before their batch ahead of it", () => {
  const { items, preprocessed } = heldItems();
  items.deliver(["a", "b"].map(asItem));
  expect(preprocessed).toEqual(["a", "b"]);
});

it("leaves an item that comes with its batch to the turn of the batch, whatever arrives meanwhile", async () => {
  const { items, preprocessed } = heldItems();
  const [taken] = items.take([asItem("with its batch", 1)]);
  items.deliver([asItem("early", 2)]);
  expect(preprocessed).toEqual(["early"]);
  await items.rowOf(taken!);
  expect(preprocessed).toEqual(["early", "with its batch"]);
});
