import { signal } from "@preact/signals";
import type { RowRange } from "../languages/row-view.js";
import { Sentence, type SentenceEvents, type Translator } from "./sentence.js";
import { urgencyOf } from "./urgency.js";

/** What a side shows. */
export interface PageFigures {
  readonly wordsPerSecond: number;
  /** Sentences that are translated. */
  readonly done: number;
  /** From the beginning until all sentences of the first view were translated; `null` before. */
  readonly firstViewMs: number | null;
  /** Texts in a step of the model, on average. */
  readonly together: number;
}

const NO_ROWS: RowRange = { first: 0, last: 0 };

/** One side: a page whose sentences are translated by one model. Each is a text of its own. */
export class TranslatedPage {
  readonly sentences: readonly Sentence[];
  /** `null` before the first word. */
  readonly figures = signal<PageFigures | null>(null);
  readonly #onFailure: (error: unknown) => void;
  #translator: Translator | null = null;
  #isMoving = false;
  #inView = NO_ROWS;
  /** What was in view at the beginning. */
  #firstView = NO_ROWS;
  #firstViewMs: number | null = null;
  #words = 0;
  /** Time in which sentences were open, without the time since the last change. */
  #busyMs = 0;
  #busySinceMs: number | null = null;
  /** Steps of the model, and the texts in all of them together, before the beginning. */
  #before = { steps: 0, stepped: 0 };

  constructor(english: readonly string[], onFailure: (error: unknown) => void) {
    const events: SentenceEvents = {
      word: () => this.#words++,
      done: () => this.#takeDone(),
      failed: (error) => this.#fail(error),
    };
    this.sentences = english.map((sentence) => new Sentence(sentence, events));
    this.#onFailure = onFailure;
  }

  /** Begins anew with a model, or stops with `null`. */
  use(translator: Translator | null): void {
    this.#translator = translator;
    this.restart();
  }

  /** Goes on, or rests: what is not translated yet begins again later. */
  move(isMoving: boolean): void {
    this.#isMoving = isMoving;
    this.#want();
  }

  /** Takes what is in view. */
  look(inView: RowRange): void {
    this.#inView = inView;
    this.#want();
  }

  /** Is English again, and begins anew. */
  restart(): void {
    for (const sentence of this.sentences) sentence.reset();
    this.#words = 0;
    this.#busyMs = 0;
    this.#busySinceMs = null;
    this.#firstView = NO_ROWS;
    this.#firstViewMs = null;
    this.#before = this.#steps();
    this.figures.value = null;
    this.#want();
  }

  /** Updates the figures. */
  tally(): void {
    this.#keepTime();
    const busyMs = this.#elapsedMs();
    if (this.#words === 0 || busyMs === 0) return;
    const { steps, stepped } = this.#steps();
    this.figures.value = {
      wordsPerSecond: (1000 * this.#words) / busyMs,
      done: this.sentences.filter(({ isDone }) => isDone.peek()).length,
      firstViewMs: this.#firstViewMs,
      together: (stepped - this.#before.stepped) / Math.max(1, steps - this.#before.steps),
    };
  }

  #want(): void {
    const { first, last } = this.#inView;
    const translator = this.#isMoving && last > first ? this.#translator : null;
    if (translator !== null && this.#firstView === NO_ROWS) this.#firstView = this.#inView;
    // A step of fewer texts is shorter, so the others begin when those in view have ended.
    const isViewDone = this.#isDone(this.#inView);
    for (const [index, sentence] of this.sentences.entries()) {
      const urgency = urgencyOf(index, this.#inView);
      if (translator === null || urgency === null) sentence.giveUp();
      else if (urgency === "user-visible" || isViewDone || sentence.isOpen) sentence.want(translator, urgency);
    }
    this.#keepTime();
  }

  #takeDone(): void {
    if (this.#isDone(this.#firstView)) this.#firstViewMs ??= this.#elapsedMs();
    this.#want();
  }

  #isDone({ first, last }: RowRange): boolean {
    return this.sentences.slice(first, last).every(({ isDone }) => isDone.peek());
  }

  /** Lets the time run while sentences are open. */
  #keepTime(): void {
    const isBusy = this.sentences.some(({ isOpen }) => isOpen);
    if (isBusy === (this.#busySinceMs !== null)) return;
    this.#busyMs = this.#elapsedMs();
    this.#busySinceMs = isBusy ? performance.now() : null;
  }

  #elapsedMs(): number {
    return this.#busyMs + (this.#busySinceMs === null ? 0 : performance.now() - this.#busySinceMs);
  }

  #steps(): { readonly steps: number; readonly stepped: number } {
    const { steps = 0, batchSize = 0 } = this.#translator?.stats().generation ?? {};
    return { steps, stepped: steps * batchSize };
  }

  #fail(error: unknown): void {
    this.use(null);
    this.#onFailure(error);
  }
}
