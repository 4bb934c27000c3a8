import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Sharing } from "./generation-messages.js";
import { generatingFile } from "../../test/support/generating-in-node.js";
import { stubBrowser } from "../../test/support/model-in-node.js";

/** A row of decoders.json, which models/zoo/decoders/make.py writes. */
interface ExportedDecoder {
  readonly name: string;
  readonly exporter: string;
  readonly what: string;
  readonly file: string;
  readonly sharing: Sharing;
  readonly texts: readonly ExportedText[];
}

interface ExportedText {
  readonly prompt: readonly number[];
  readonly given: Readonly<Record<string, { readonly dims: readonly number[]; readonly values: readonly number[] }>>;
  /** Those of Python's onnxruntime, alone. */
  readonly tokens: readonly number[];
}

const FILES = path.resolve(import.meta.dirname, "../../../../models/zoo/decoders/files");
const DECODERS: readonly ExportedDecoder[] = JSON.parse(readFileSync(path.join(FILES, "decoders.json"), "utf8"));

beforeAll(() => stubBrowser());
afterAll(() => void vi.unstubAllGlobals());

/** Returns what `generate` takes of a text. */
function optionsOf({ given, tokens }: ExportedText) {
  const entries = Object.entries(given).map(([name, { dims, values }]) => {
    const data = name.endsWith("mask") ? BigInt64Array.from(values, BigInt) : Float32Array.from(values);
    return [name, { data, dims }] as const;
  });
  return { maxNewTokens: tokens.length, given: Object.fromEntries(entries) };
}

describe.each(DECODERS)("$name ($exporter): $what", ({ file, sharing, texts }) => {
  it(`writes what Python's onnxruntime writes, one text at a time and all at once (${sharing})`, async () => {
    await using model = await generatingFile(new Uint8Array(readFileSync(path.join(FILES, file))));
    const write = async (text: ExportedText) =>
      (await model.generate({ input_ids: text.prompt }, optionsOf(text)).result).tokens;
    const expected = texts.map(({ tokens }) => tokens);
    const singly: (readonly number[])[] = [];
    for (const text of texts) singly.push(await write(text));
    expect(singly).toEqual(expected);
    expect(await Promise.all([...texts, ...texts].map(write))).toEqual([...expected, ...expected]);
    const { generation } = model.stats();
    expect(generation.sharing).toBe(sharing);
    if (sharing === "alone") expect(generation.batchSize).toBe(1);
    else expect(generation.batchSize).toBeGreaterThan(1);
  });
});
