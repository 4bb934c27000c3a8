import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { FairQueue, HIDDEN_PATIENCE } from "./turns.js";

interface Tab {
  readonly name: string;
  isHidden: boolean;
}

const tab = (name: string, isHidden = false): Tab => ({ name, isHidden });

function queueOf(...jobs: readonly (readonly [Tab, string])[]): FairQueue<Tab, string> {
  const queue = new FairQueue<Tab, string>();
  for (const [owner, job] of jobs) queue.add(owner, job);
  return queue;
}

function drain(queue: FairQueue<Tab, string>): string[] {
  const order: string[] = [];
  for (let next = queue.next(); next !== null; next = queue.next()) order.push(next.job);
  return order;
}

describe("the order of turns", () => {
  const [a, b, c] = [tab("a"), tab("b"), tab("c")];

  it("lets tabs take turns, and keeps the order of each tab's jobs", () => {
    expect(drain(queueOf([a, "a1"], [a, "a2"], [a, "a3"], [b, "b1"], [b, "b2"], [c, "c1"]))).toEqual([
      "a1",
      "b1",
      "c1",
      "a2",
      "b2",
      "a3",
    ]);
  });

  it("puts a tab that comes back behind those that wait", () => {
    const queue = queueOf([a, "a1"], [b, "b1"], [c, "c1"]);
    expect(queue.next()?.job).toBe("a1");
    queue.add(a, "a2");
    expect(drain(queue)).toEqual(["b1", "c1", "a2"]);
  });

  it("serves a hidden tab when no visible one waits", () => {
    const hidden = tab("hidden", true);
    expect(drain(queueOf([hidden, "h1"], [hidden, "h2"], [a, "a1"], [a, "a2"]))).toEqual(["a1", "a2", "h1", "h2"]);
  });

  it("reads whether a tab is hidden at each turn", () => {
    const other = tab("other", true);
    const queue = queueOf([other, "o1"], [other, "o2"], [a, "a1"], [a, "a2"], [a, "a3"]);
    expect(queue.next()?.job).toBe("a1");
    other.isHidden = false;
    expect(drain(queue)).toEqual(["o1", "a2", "o2", "a3"]);
  });

  it(`serves a hidden tab after ${HIDDEN_PATIENCE} turns of visible ones`, () => {
    const hidden = tab("hidden", true);
    const queue = queueOf([hidden, "h1"], [hidden, "h2"]);
    for (let index = 0; index < 3 * HIDDEN_PATIENCE; index += 1) queue.add(index % 2 === 0 ? a : b, "visible");
    const order = drain(queue);
    expect(order.indexOf("h1")).toBe(HIDDEN_PATIENCE);
    expect(order.indexOf("h2")).toBe(2 * HIDDEN_PATIENCE + 1);
  });

  it("drops the jobs of a tab that leaves", () => {
    const queue = queueOf([a, "a1"], [b, "b1"], [a, "a2"]);
    expect(queue.remove(a)).toEqual(["a1", "a2"]);
    expect(queue.has(a)).toBe(false);
    expect(drain(queue)).toEqual(["b1"]);
    expect(queue.isEmpty).toBe(true);
  });
});

describe("any sequence of jobs and turns", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("add" as const), index: fc.nat(3) }),
    fc.record({ kind: fc.constant("hide" as const), index: fc.nat(3) }),
    fc.record({ kind: fc.constant("next" as const) }),
  );

  it("serves every job once, and lets no tab wait for more turns than the bound", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const tabs = ["a", "b", "c", "d"].map((name) => tab(name));
        const queue = new FairQueue<Tab, number>();
        const waits = new Map<Tab, number>();
        let [added, served] = [0, 0];
        const turn = () => {
          const next = queue.next();
          if (next === null) return false;
          served += 1;
          for (const other of tabs) waits.set(other, queue.has(other) ? (waits.get(other) ?? 0) + 1 : 0);
          waits.set(next.tab, 0);
          // Each of the other tabs may have a turn first, and each turn of a hidden one takes nine.
          for (const turns of waits.values()) expect(turns).toBeLessThanOrEqual(tabs.length * (HIDDEN_PATIENCE + 1));
          return true;
        };
        for (const { kind, ...of } of steps) {
          const one = "index" in of ? tabs[of.index]! : null;
          if (kind === "add") queue.add(one!, (added += 1));
          else if (kind === "hide") one!.isHidden = !one!.isHidden;
          else turn();
        }
        while (turn());
        expect(served).toBe(added);
      }),
    );
  });
});
