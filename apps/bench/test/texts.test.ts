import { describe, expect, it } from "vitest";
import { differences } from "../runner/texts/agree.js";

function written(lane: string, ...texts: readonly (readonly number[])[]) {
  return { lane, written: { promptTokens: 32, from: 8, texts } };
}

describe("the texts of lanes", () => {
  it("agree if one is only longer than the other", () => {
    expect(differences([written("a", [1, 2], [3]), written("b", [1, 2, 5]), written("c", [1])])).toEqual([]);
  });

  it("are compared with the longest one, and named where they differ", () => {
    const all = [written("a", [1], [3]), written("b", [1, 2]), written("c", [1, 4], [3])];
    expect(differences(all)).toEqual(["text 8 after 32 tokens: token 1 is 4 in c and 2 in b"]);
  });

  it("of other prompts are not compared", () => {
    const other = { lane: "b", written: { promptTokens: 168, from: 8, texts: [[2]] } };
    expect(differences([written("a", [1]), other])).toEqual([]);
  });
});
