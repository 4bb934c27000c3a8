import { readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import type { ExportedText } from "../fixtures/exported-texts.js";
import { expect, test } from "./test.js";

/** A row of decoders.json, which models/zoo/decoders/make.py writes. */
interface ExportedDecoder {
  readonly name: string;
  readonly exporter: string;
  readonly what: string;
  readonly file: string;
  readonly sharing: string;
  readonly texts: readonly ExportedText[];
}

/** Opens every decoder of a folder that the site serves, and expects its texts. */
export async function expectDecoders(harness: Page, folder: string, address: string) {
  const decoders: ExportedDecoder[] = JSON.parse(readFileSync(path.join(folder, "decoders.json"), "utf8"));
  expect(decoders.length).toBeGreaterThan(8);
  for (const { name, exporter, what, file, sharing, texts } of decoders) {
    await test.step(`${name} (${exporter}): ${what}`, async () => {
      const request = { url: `${address}${file}`, texts };
      const { tokens, generation } = await harness.evaluate((sent) => window.harness.writeExported(sent), request);
      const expected = texts.map((text) => text.tokens);
      expect.soft(tokens, name).toEqual(expected);
      expect.soft(generation.sharing, name).toBe(sharing);
    });
  }
}
