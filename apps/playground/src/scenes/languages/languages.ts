import { encodeText, type LanguageGuess } from "@framebatch/models/languages";
import { computed, effect, signal } from "@preact/signals";
import type { Playground } from "../../playground.js";
import { loadDeclarationRows } from "./declaration-rows.js";
import { LatestAsker } from "./latest-asker.js";
import { sampleTexts } from "./sample-texts.js";
import { Sweep } from "./sweep.js";
import { rowsOfLines, type TextRow } from "./text-rows.js";
import { TextTable } from "./text-table.js";

/** The state of the Languages scene: a text that is being typed, and a table of thousands. */
export class Languages {
  readonly playground: Playground;
  readonly typed = signal(sampleTexts[0]?.text ?? "");
  /** For what is typed: all languages, the likeliest first; `null` where nothing is known. */
  readonly guesses = signal<readonly LanguageGuess[] | null>(null);
  /** `null` while the texts are on their way. Another model answers anew. */
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
  readonly #stopTyping: () => void;
  #lastTurn = 0;
  #shownTurn = 0;

  constructor(playground: Playground) {
    this.playground = playground;
    this.sweep = new Sweep(playground, this.table);
    this.#asker = new LatestAsker(playground, "typing");
    this.#stopTyping = effect(() => this.#askForTyped());
    loadDeclarationRows().then(
      (rows) => (this.#declaration.value = rows),
      (error: unknown) => playground.reportFailure(error),
    );
  }

  /** Shows these lines in the table, and classifies them all. */
  paste(lines: string): void {
    this.#pasted.value = rowsOfLines(lines);
    void this.sweep.start();
  }

  /** Goes back to the texts of the declaration. */
  forgetPasted(): void {
    this.#pasted.value = null;
  }

  dispose(): void {
    this.#stopTyping();
    this.#asker.stop();
    this.sweep.dispose();
  }

  #askForTyped(): void {
    const [text, model] = [this.typed.value, this.playground.model.value];
    if (this.playground.comparing.value) return;
    const turn = ++this.#lastTurn;
    if (model === null || encodeText(text).ids.length === 0) this.#show(turn, null);
    else this.#asker.ask({ text, priority: "user-blocking", hear: (guesses) => this.#show(turn, guesses) });
  }

  /** Never goes back to an older text than the one whose answer is shown. */
  #show(turn: number, guesses: readonly LanguageGuess[] | null): void {
    if (turn <= this.#shownTurn) return;
    this.#shownTurn = turn;
    this.guesses.value = guesses;
  }
}
