import { describe, expect, it } from "vitest";
import { OpenSet } from "./request.js";

describe("a set of values that come and go", () => {
  it("keeps the order of addition through any number of deletions", () => {
    const set = new OpenSet<number>();
    for (let value = 0; value < 1000; value++) {
      set.add(value);
      expect(set.delete(value - 3)).toBe(value >= 3);
      expect([...set]).toEqual([value - 2, value - 1, value].filter((open) => open >= 0));
      expect([set.first, set.size]).toEqual([Math.max(0, value - 2), Math.min(3, value + 1)]);
    }
  });

  it("is empty at first, and after the last value is deleted", () => {
    const set = new OpenSet<string>();
    expect([set.first, set.size]).toEqual([undefined, 0]);
    set.add("a");
    set.delete("a");
    expect([set.first, set.size, [...set]]).toEqual([undefined, 0, []]);
  });

  it("holds a value once", () => {
    const set = new OpenSet<string>();
    set.add("a");
    set.add("a");
    expect([...set]).toEqual(["a"]);
    expect([set.delete("a"), set.delete("a")]).toEqual([true, false]);
  });

  it("does not visit a value that is deleted during the iteration", () => {
    const set = new OpenSet<number>();
    for (let value = 0; value < 200; value++) set.add(value);
    const visited = [];
    for (const value of set) {
      visited.push(value);
      for (let later = value + 1; later < 199; later++) set.delete(later);
    }
    expect(visited).toEqual([0, 199]);
  });
});
