import { readFile, stat } from "node:fs/promises";
import * as ort from "onnxruntime-web/wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { encodeText, languages, maxTextLength, rankLanguages, type EncodedText } from "@framebatch/models/languages";
import { everydaySentences } from "../languages/everyday.mjs";
import { heldOutParagraphs, trainingParagraphs } from "../languages/udhr.mjs";
import { tensorOf, valuesOf } from "./run-model.js";

const MODEL = new URL("../languages/languages.onnx", import.meta.url);
const TOLERANCE = 1e-4;

describe("the language classifier", () => {
  let session: ort.InferenceSession;

  beforeAll(async () => {
    session = await ort.InferenceSession.create(await readFile(MODEL));
  });

  /** One row of logits for each item, from one run, padded on the right to `length`. */
  async function logits(items: readonly EncodedText[], length = longest(items)): Promise<number[][]> {
    const padded = (name: keyof EncodedText): ort.Tensor => {
      const data = new Int32Array(items.length * length);
      for (const [row, item] of items.entries()) data.set(item[name], row * length);
      return new ort.Tensor("int32", data, [items.length, length]);
    };
    const outputs = await session.run({ ids: padded("ids"), mask: padded("mask") });
    const values = valuesOf(tensorOf(outputs, "logits"));
    return items.map((_, row) => values.slice(row * languages.length, (row + 1) * languages.length));
  }

  /** The share of texts whose language is among the first so many guesses. */
  async function share(texts: readonly { tag: string; text: string }[], places: number): Promise<number> {
    const rows = await logits(texts.map(({ text }) => encodeText(text)));
    const right = texts.filter(({ tag }, index) => {
      const guesses = rankLanguages(rows[index] ?? []).slice(0, places);
      return guesses.some(({ language }) => language.tag === tag);
    });
    return right.length / texts.length;
  }

  it("takes up to 2 MB", async () => {
    expect((await stat(MODEL)).size).toBeLessThanOrEqual(2_000_000);
  });

  it("takes ids and a mask and gives logits, with a dynamic batch and length", () => {
    expect(session.inputMetadata).toMatchObject([
      { name: "ids", type: "int32", shape: ["batch", "length"] },
      { name: "mask", type: "int32", shape: ["batch", "length"] },
    ]);
    expect(session.outputMetadata).toMatchObject([
      { name: "logits", type: "float32", shape: ["batch", languages.length] },
    ]);
  });

  it("names the language of a text of up to 256 letters from an article that training never saw", async () => {
    const texts = languages.map(({ tag }) => ({ tag, text: heldOutParagraphs(tag).join(" ") }));
    expect(await share(texts, 1)).toBeGreaterThan(0.95);
    expect(await share(texts, 3)).toBe(1);
  });

  it("names the language of most everyday sentences, of which its training texts hold none", async () => {
    expect(await share(everydaySentences, 1)).toBeGreaterThan(0.85);
    expect(await share(everydaySentences, 3)).toBeGreaterThan(0.95);
  });

  it.each([1, 2, 7, 64, maxTextLength])("takes items of length %s, alone and together", async (length) => {
    const items = everydaySentences.slice(0, 3).map(({ text }) => encodeText(text.repeat(20).slice(0, length)));
    expect((await logits(items)).flat().every(Number.isFinite)).toBe(true);
    expect((await logits(items.slice(0, 1))).flat()).toHaveLength(languages.length);
  });

  it("gives each text of a batch, padded to the longest, what it gives that text alone", async () => {
    const items = everydaySentences.slice(0, 48).map(({ text }) => encodeText(text));
    const together = await logits(items);
    for (const [row, item] of items.entries()) {
      expectClose(together[row] ?? [], (await logits([item]))[0] ?? []);
    }
  });

  it.each(["a", "är", "où?", "Guten Morgen"])("gives %j the same with any padding", async (text) => {
    const item = encodeText(text);
    const [alone = []] = await logits([item]);
    for (const length of [item.ids.length + 1, 40, maxTextLength]) {
      expectClose((await logits([item], length))[0] ?? [], alone);
    }
  });
});

describe("encodeText", () => {
  it("gives one id a letter, and a mask of ones", () => {
    const { ids, mask } = encodeText("olá");
    expect(ids).toHaveLength(3);
    expect([...mask]).toEqual([1, 1, 1]);
  });

  it("makes nothing of case, digits, punctuation and the width of spaces", () => {
    expect(encodeText("  Wo ist\n\tGleis 7? ")).toEqual(encodeText("wo ist gleis"));
  });

  it("makes nothing of how an accent is composed, and keeps the accent", () => {
    expect(encodeText("e\u0301te\u0301")).toEqual(encodeText("été"));
    expect(encodeText("été")).not.toEqual(encodeText("ete"));
  });

  it("keeps an apostrophe within a word and drops quotation marks around it", () => {
    expect(encodeText("‘l’été’")).toEqual(encodeText("l'été"));
    expect(encodeText("l'été")).not.toEqual(encodeText("l été"));
  });

  it("gives no ids for a text without a letter", () => {
    expect(encodeText("123 … 🙂").ids).toHaveLength(0);
  });

  it("reads the first 256 letters of a long text", () => {
    expect(encodeText("ab".repeat(300))).toEqual(encodeText("ab".repeat(128)));
  });

  it("gives letters without an id of their own that of their script", () => {
    const [rare, known] = [encodeText("龘").ids[0], encodeText("人").ids[0]];
    expect(rare).not.toBe(known);
    expect(rare).toBe(encodeText("靐").ids[0]);
    expect(encodeText("ᚠ").ids[0]).toBe(1);
  });
});

describe("rankLanguages", () => {
  it("gives probabilities, the highest first", () => {
    const scores = languages.map(({ tag }) => (tag === "eo" ? 5 : tag === "fi" ? 4 : 0));
    const guesses = rankLanguages(scores);
    expect(guesses.slice(0, 2).map(({ language }) => language.name)).toEqual(["Esperanto", "Finnish"]);
    expect(guesses.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1);
  });
});

describe("the texts of the declaration", () => {
  it("are there for every language, and training reads none of those that measure it", () => {
    for (const { tag } of languages) {
      const training = new Set(trainingParagraphs(tag));
      const heldOut = heldOutParagraphs(tag);
      expect(heldOut.length, tag).toBeGreaterThan(5);
      expect(training.size, tag).toBeGreaterThan(40);
      expect(
        heldOut.filter((paragraph) => training.has(paragraph)),
        tag,
      ).toEqual([]);
    }
  });
});

function longest(items: readonly EncodedText[]): number {
  return Math.max(...items.map(({ ids }) => ids.length));
}

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  const differences = expected.map((value, index) => Math.abs(value - (actual[index] ?? Number.NaN)));
  expect(Math.max(...differences)).toBeLessThan(TOLERANCE);
}
