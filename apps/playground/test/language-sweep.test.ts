import { signal } from "@preact/signals";
import type { Outputs } from "framebatch";
import { expect, test } from "vitest";
import { Sweep } from "../src/scenes/languages/sweep.js";
import { rowsOfLines } from "../src/scenes/languages/text-rows.js";
import { TextTable } from "../src/scenes/languages/text-table.js";

test("texts that are pasted while a comparison runs do not use its model", async () => {
  let streams = 0;
  async function* predictStream(): AsyncGenerator<Outputs, void, undefined> {
    streams++;
    yield* [];
  }
  const comparing = signal(true);
  const playground = { model: signal({ predictStream }), comparing, reportFailure: () => {} };
  const sweep = new Sweep(playground, signal(new TextTable(rowsOfLines("one\ntwo"))));
  await sweep.start();
  expect(streams).toBe(0);
  comparing.value = false;
  await sweep.start();
  expect(streams).toBe(1);
  sweep.dispose();
});
