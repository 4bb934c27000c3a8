import { languages, type Language } from "@framebatch/models/languages";

/** A text of the table. */
export interface TextRow {
  readonly text: string;
  /** What it is known to be in; `null` where nobody knows. */
  readonly language: Language | null;
}

/** One row for each line that is not empty. */
export function rowsOfLines(lines: string): TextRow[] {
  return lines
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((text) => ({ text, language: null }));
}

/** The model's language with this tag; `null` where it knows none. */
export function languageOf(tag: string): Language | null {
  return languages.find((language) => language.tag === tag) ?? null;
}
