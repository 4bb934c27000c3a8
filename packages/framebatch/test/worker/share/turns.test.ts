import { describe, expect, it } from "vitest";
import { Turns } from "../../../src/worker/share/turns.js";

const a = { name: "a", isHidden: false };
const b = { name: "b", isHidden: false };

/** A task that ends when the test ends it. */
function heldTask() {
  let end: (answer: string) => void = () => undefined;
  const promise = new Promise<string>((resolve) => (end = resolve));
  return { task: () => promise, end };
}

describe("runs of several tabs", () => {
  it("run one at a time, in turns, with the outcome of each task", async () => {
    const began: string[] = [];
    const turns = new Turns<typeof a>((tab, rows) => began.push(`${tab.name} ${rows}`));
    const first = heldTask();
    const runs = [
      turns.run(a, 1, first.task),
      turns.run(a, 2, async () => "second of a"),
      turns.run(b, 3, () => Promise.reject(new Error("of b"))),
    ];
    const settled = Promise.allSettled(runs);
    expect(began).toEqual(["a 1"]);
    expect([turns.isWaiting(a), turns.isWaiting(b)]).toEqual([true, true]);
    first.end("first of a");
    expect(await settled).toEqual([
      { status: "fulfilled", value: "first of a" },
      { status: "fulfilled", value: "second of a" },
      { status: "rejected", reason: new Error("of b") },
    ]);
    expect(began).toEqual(["a 1", "b 3", "a 2"]);
  });

  it("of a tab that has left do not run", async () => {
    const turns = new Turns<typeof a>(() => undefined);
    const first = heldTask();
    const ran: string[] = [];
    const run = (tab: typeof a) => turns.run(tab, 1, async () => void ran.push(tab.name));
    const busy = turns.run(b, 1, first.task);
    void run(a);
    const last = run(b);
    turns.remove(a);
    first.end("");
    await Promise.all([busy, last]);
    expect(ran).toEqual(["b"]);
  });

  it("run again after all have run", async () => {
    const turns = new Turns<typeof a>(() => undefined);
    expect(await turns.run(a, 1, async () => 1)).toBe(1);
    expect(await turns.run(b, 1, async () => 2)).toBe(2);
  });
});
