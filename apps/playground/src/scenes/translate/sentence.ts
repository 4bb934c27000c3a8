import { promptOf, STOP, wordOf } from "@framebatch/models/translator";
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { GeneratingModel, GenerationStats } from "framebatch";
import { capitalise } from "../../format.js";
import { askWith, type Asking, type Urgency } from "./asking.js";

/** The part of a model that translates. */
export interface Translator extends Pick<GeneratingModel, "generate"> {
  stats(): { readonly generation: Pick<GenerationStats, "steps" | "batchSize"> };
}

/** What a sentence tells its page. */
export interface SentenceEvents {
  readonly word: () => void;
  /** It is translated. */
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** One sentence of a page. Its translation takes the place of its words as it comes. It knows nothing of the other sentences. */
export class Sentence {
  /** The Dutch words so far. */
  readonly translated = computed(() => sentenceOf(this.#tokens.value));
  /** The English words that are left. */
  readonly left = computed(() =>
    sentenceOf(this.#prompt.slice(this.#tokens.value.length), this.#tokens.value.length > 0),
  );
  readonly isDone: ReadonlySignal<boolean>;
  readonly #isDone = signal(false);
  readonly #prompt: readonly number[];
  readonly #on: SentenceEvents;
  readonly #tokens = signal<readonly number[]>([]);
  #asking: Asking | null = null;
  #urgency: Urgency | null = null;

  constructor(english: string, on: SentenceEvents) {
    this.isDone = this.#isDone;
    this.#prompt = promptOf(english);
    this.#on = on;
  }

  /** True while the model has it to translate. */
  get isOpen(): boolean {
    return this.#asking !== null;
  }

  /** Asks for the translation, or changes how urgent it is. Does nothing once it is there. */
  want(translator: Translator, urgency: Urgency): void {
    if (this.isDone.peek() || urgency === this.#urgency) return;
    this.#urgency = urgency;
    if (this.#asking?.setPriority) return this.#asking.setPriority(urgency);
    this.#asking?.abort();
    void this.#translate(translator, askWith(urgency));
  }

  /** Gives a translation up that is not whole. */
  giveUp(): void {
    this.#asking?.abort();
    this.#end();
    if (!this.isDone.peek()) this.#tokens.value = [];
  }

  /** Is English again. */
  reset(): void {
    this.giveUp();
    this.#isDone.value = false;
    this.#tokens.value = [];
  }

  async #translate(translator: Translator, asking: Asking): Promise<void> {
    this.#asking = asking;
    this.#tokens.value = [];
    const prompt = { input_ids: this.#prompt };
    const text = translator.generate(prompt, { ...asking.options, maxNewTokens: this.#prompt.length, stop: [STOP] });
    try {
      for await (const token of text) {
        if (asking !== this.#asking) return;
        this.#tokens.value = [...this.#tokens.peek(), token];
        this.#on.word();
      }
      this.#end();
      this.#isDone.value = true;
      this.#on.done();
    } catch (error) {
      if (asking.signal.aborted) return;
      this.#end();
      this.#on.failed(error);
    }
  }

  #end(): void {
    this.#asking = null;
    this.#urgency = null;
  }
}

/** @param goesOn whether it is the end of a sentence, not the beginning */
function sentenceOf(tokens: readonly number[], goesOn = false): string {
  const words = tokens.map(wordOf).join(" ").replace(/ ?\.$/, ".");
  return goesOn ? words : capitalise(words);
}
