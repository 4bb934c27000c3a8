import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ABLATIONS } from "./ablations.mjs";

describe("the text of an ablation", () => {
  const edits = ABLATIONS.flatMap(({ name, edits: own }) => own.map((edit) => ({ name, ...edit })));
  it.each(edits)("occurs exactly once in the sources: $name, $file", ({ file, search }) => {
    const source = readFileSync(new URL(`../../packages/${file}`, import.meta.url), "utf8");
    expect(source.split(search)).toHaveLength(2);
  });
});
