import { languages, rankLanguages, type LanguageGuess } from "@framebatch/models/languages";
import { describe, expect, it } from "vitest";
import { widen } from "../src/scenes/languages/row-view.js";
import { languageOf, rowsOfLines, type TextRow } from "../src/scenes/languages/text-rows.js";
import { TextTable } from "../src/scenes/languages/text-table.js";

function guess(tag: string): LanguageGuess[] {
  return rankLanguages(languages.map((language) => (language.tag === tag ? 9 : 0)));
}

function row(tag: string | null): TextRow {
  return { text: "…", language: tag === null ? null : languageOf(tag) };
}

describe("the rendered rows of a long table", () => {
  it("are the visible rows if no more are wanted", () => {
    expect(widen({ first: 100, last: 112 }, 5, 5000)).toEqual({ first: 100, last: 112 });
  });

  it("extend the visible rows on both sides to the wanted count", () => {
    expect(widen({ first: 100, last: 112 }, 64, 5000)).toEqual({ first: 74, last: 138 });
  });

  it("stay within the table at its start and its end", () => {
    expect(widen({ first: 2, last: 14 }, 64, 5000)).toEqual({ first: 0, last: 64 });
    expect(widen({ first: 4988, last: 5000 }, 64, 5000)).toEqual({ first: 4936, last: 5000 });
  });

  it("are all rows if the table has fewer than wanted", () => {
    expect(widen({ first: 0, last: 3 }, 64, 3)).toEqual({ first: 0, last: 3 });
    expect(widen({ first: 0, last: 0 }, 64, 0)).toEqual({ first: 0, last: 0 });
  });
});

describe("TextTable", () => {
  it("counts the answered rows and, among rows with a known language, the correct ones", () => {
    const table = new TextTable([row("fi"), row("fi"), row(null), row("et")]);
    table.answer(0, guess("fi"));
    table.answer(1, guess("et"));
    table.answer(2, guess("fi"));
    expect([table.answered.value, table.judged.value, table.right.value]).toEqual([3, 2, 1]);
    expect(table.guessOf(1).value?.language.name).toBe("Estonian");
    expect(table.guessOf(3).value).toBeNull();
  });

  it("counts the texts with a letter, since only these can be classified", () => {
    const rows = ["Hei", "123 …", "日本"].map((text) => ({ text, language: null }));
    expect(new TextTable(rows).classifiable).toBe(2);
  });

  it("keeps a row's first answer and counts it once", () => {
    const table = new TextTable([row("fi")]);
    table.answer(0, guess("fi"));
    table.answer(0, guess("et"));
    expect([table.answered.value, table.right.value]).toEqual([1, 1]);
    expect(table.guessOf(0).value?.language.tag).toBe("fi");
  });
});

describe("pasted lines", () => {
  it("become one row each, without empty lines and surrounding spaces", () => {
    expect(rowsOfLines("  Hyvää päivää\r\n\r\n\tBonjour \n").map(({ text }) => text)).toEqual([
      "Hyvää päivää",
      "Bonjour",
    ]);
  });

  it("have no known language", () => {
    expect(rowsOfLines("Salut").map(({ language }) => language)).toEqual([null]);
  });
});
