import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readPlants } from "../plants.mjs";

const SOURCES = path.join(import.meta.dirname, "../../../packages");

describe("the planted bugs", () => {
  it.each(readPlants())("$name: applies to $file", ({ file, from, to }) => {
    expect(readFileSync(path.join(SOURCES, file), "utf8").split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
  });

  it("are known to each reason why one cannot be seen", () => {
    const unseen: object = JSON.parse(readFileSync(path.join(import.meta.dirname, "..", "unseen.json"), "utf8"));
    const names = readPlants().map(({ name }) => name);
    expect(Object.keys(unseen).filter((name) => !names.includes(name))).toEqual([]);
  });

  it("have names of their own", () => {
    const names = readPlants().map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
  });
});
