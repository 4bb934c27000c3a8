import type { LanguageGuess } from "@framebatch/models/languages";
import { signal, type Signal } from "@preact/signals";
import type { TextRow } from "./text-rows.js";

const LETTER = /\p{L}/u;

/** Rows and their predictions. A new model needs a new table, so that the predictions of two models do not mix. */
export class TextTable {
  readonly rows: readonly TextRow[];
  /** The number of rows that contain a letter. Only these can be classified. */
  readonly classifiable: number;
  readonly answered = signal(0);
  /** The number of answered rows whose language is known, and the number of correct ones among them. */
  readonly judged = signal(0);
  readonly right = signal(0);
  readonly #guesses = new Map<number, Signal<LanguageGuess | null>>();

  constructor(rows: readonly TextRow[]) {
    this.rows = rows;
    this.classifiable = rows.filter(({ text }) => LETTER.test(text)).length;
  }

  /** The most likely language of a row; `null` until the row is answered. */
  guessOf(row: number): Signal<LanguageGuess | null> {
    let guess = this.#guesses.get(row);
    if (guess === undefined) {
      guess = signal(null);
      this.#guesses.set(row, guess);
    }
    return guess;
  }

  /**
   * Stores the most likely language, the first of the list. Later answers for the same row are ignored, since the same
   * model gives the same answer.
   */
  answer(row: number, [likeliest]: readonly LanguageGuess[]): void {
    const guess = this.guessOf(row);
    if (likeliest === undefined || guess.peek() !== null) return;
    guess.value = likeliest;
    this.answered.value++;
    const language = this.rows[row]?.language ?? null;
    if (language === null) return;
    this.judged.value++;
    if (language.tag === likeliest.language.tag) this.right.value++;
  }
}
