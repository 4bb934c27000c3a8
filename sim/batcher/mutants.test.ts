import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MUTANTS } from "./mutants.mjs";

describe("a planted bug", () => {
  it.each(MUTANTS)("occurs exactly once in the sources: $name", ({ file, search }) => {
    const source = readFileSync(new URL(`../../packages/${file}`, import.meta.url), "utf8");
    expect(source.split(search)).toHaveLength(2);
  });
});
