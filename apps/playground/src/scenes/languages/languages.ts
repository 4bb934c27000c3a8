import { encodeText, type LanguageGuess } from "@framebatch/models/languages";
import { computed, effect, signal } from "@preact/signals";
import type { Playground } from "../../playground.js";
import { loadDeclarationRows } from "./declaration-rows.js";
import { LatestAsker } from "./latest-asker.js";
import { sampleTexts } from "./sample-texts.js";
import { Sweep } from "./sweep.js";
import { rowsOfLines, type TextRow } from "./text-rows.js";
import { TextTable } from "./text-table.js";

/** The state of the Languages scene: the typed text, and a table of thousands of texts. */
export class Languages {
  readonly playground: Playground;
  readonly typed = signal(sampleTexts[0]?.text ?? "");
  /** All languages for the typed text, the most likely first; `null` if there is no prediction. */
  readonly guesses = signal<readonly LanguageGuess[] | null>(null);
  /** The table; `null` while the texts load. A change of the model creates a new table. */
  readonly table = computed(() => {
    void this.playground.model.value;
    const rows = this.#pasted.value ?? this.#declaration.value;
    return rows === null ? null : new TextTable(rows);
  });
  readonly sweep: Sweep;
  readonly #declaration = signal<readonly TextRow[] | null>(null);
  readonly #pasted = signal<readonly TextRow[] | null>(null);
  readonly hasPasted = computed(() => this.#pasted.value !== null);
  readonly #asker: LatestAsker;
  readonly #stopEffects: readonly (() => void)[];
  #hasSwept = false;
  #lastTurn = 0;
  #shownTurn = 0;

  constructor(playground: Playground) {
    this.playground = playground;
    this.sweep = new Sweep(playground, this.table);
    this.#asker = new LatestAsker(playground, "typing");
    this.#stopEffects = [effect(() => this.#askForTyped()), effect(() => this.#sweepOnce())];
    loadDeclarationRows().then(
      (rows) => (this.#declaration.value = rows),
      (error: unknown) => playground.reportFailure(error),
    );
  }

  /** Shows these lines in the table and classifies all of them. */
  paste(lines: string): void {
    this.#pasted.value = rowsOfLines(lines);
    void this.sweep.start();
  }

  /** Restores the texts of the declaration. */
  forgetPasted(): void {
    this.#pasted.value = null;
  }

  dispose(): void {
    for (const stop of this.#stopEffects) stop();
    this.#asker.stop();
    this.sweep.dispose();
  }

  /** Classifies the table once by itself, to show what a stream achieves. */
  #sweepOnce(): void {
    const { model, settings, comparing } = this.playground;
    if (this.#hasSwept || model.value === null || this.table.value === null || comparing.value) return;
    if (!settings.moving.value) return;
    this.#hasSwept = true;
    void this.sweep.start();
  }

  #askForTyped(): void {
    const [text, model] = [this.typed.value, this.playground.model.value];
    if (this.playground.comparing.value) return;
    const turn = ++this.#lastTurn;
    if (model === null || encodeText(text).ids.length === 0) this.#show(turn, null);
    else this.#asker.ask({ text, priority: "user-blocking", hear: (guesses) => this.#show(turn, guesses) });
  }

  /** Ignores a result for an older text than the one shown. */
  #show(turn: number, guesses: readonly LanguageGuess[] | null): void {
    if (turn <= this.#shownTurn) return;
    this.#shownTurn = turn;
    this.guesses.value = guesses;
  }
}
