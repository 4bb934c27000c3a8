import { languages, type Language } from "@framebatch/models/languages";

/** A text of the table. */
export interface TextRow {
  readonly text: string;
  /** The known language of the text; `null` if unknown. */
  readonly language: Language | null;
}

/** Creates one row per non-empty line. */
export function rowsOfLines(lines: string): TextRow[] {
  return lines
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((text) => ({ text, language: null }));
}

/** The model's language with this tag; `null` if the model does not have it. */
export function languageOf(tag: string): Language | null {
  return languages.find((language) => language.tag === tag) ?? null;
}
