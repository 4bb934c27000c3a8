import { expect, it } from "vitest";
import { EngineBatches } from "./open-engine.js";
import { HeldItems } from "./held-items.js";

/** Returns how many values the engine got in a batch of so many items, and how many rows the reply tells. */
async function ranWith(count: number, withdrawn = 0): Promise<[got: number, told: unknown]> {
  let got = 0;
  const run = (values: readonly unknown[]) => ((got = values.length), values);
  const batches = new EngineBatches({ run }, [1, 4], (call) => call());
  const held = new HeldItems(null);
  const sent = Array.from({ length: count }, (_, id) => ({ id, content: { value: id } }));
  const items = held.take(sent).map((item) => ({ item, row: null }));
  for (const { item } of items.slice(0, withdrawn)) item.withdrawal.abort();
  const { reply } = await batches.run(items, { isAlone: false });
  return [got, "rows" in reply && reply.rows];
}

it("a reply tells the rows of the run, with those that pad it: its time is that of all", async () => {
  expect(await ranWith(3)).toEqual([4, 4]);
  expect(await ranWith(1)).toEqual([1, 1]);
  expect(await ranWith(3, 2)).toEqual([1, 1]);
  expect(await ranWith(2, 2)).toEqual([0, 0]);
});
