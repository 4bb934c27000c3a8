import type { LanguageGuess } from "@framebatch/models/languages";
import { signal, type Signal } from "@preact/signals";
import type { TextRow } from "./text-rows.js";

/** Rows, and what a model has said of them. A new model begins a new table: answers of two would mix. */
export class TextTable {
  readonly rows: readonly TextRow[];
  readonly answered = signal(0);
  /** Answered rows whose language is known, and those among them that were answered right. */
  readonly judged = signal(0);
  readonly right = signal(0);
  readonly #guesses = new Map<number, Signal<LanguageGuess | null>>();

  constructor(rows: readonly TextRow[]) {
    this.rows = rows;
  }

  /** `null` until the row has its answer. */
  guessOf(row: number): Signal<LanguageGuess | null> {
    let guess = this.#guesses.get(row);
    if (guess === undefined) {
      guess = signal(null);
      this.#guesses.set(row, guess);
    }
    return guess;
  }

  /** Keeps the likeliest, which comes first. The first answer counts: the same model says the same again. */
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
