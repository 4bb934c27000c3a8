import { promptOf, STOP } from "@framebatch/models/translator";
import type { GeneratedText, GenerateOptions, TextResult } from "framebatch";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Translator } from "../src/scenes/translate/sentence.js";
import { TranslatedPage } from "../src/scenes/translate/translated-page.js";
import { urgencyOf } from "../src/scenes/translate/urgency.js";

const ENGLISH = ["The cat sees a dog.", "A fox hears the bear.", "The king buys a boat.", "A baker seeks the key."];

/** A text that says what the test lets it say. */
class TextOfTest implements GeneratedText {
  readonly result = new Promise<TextResult>(() => {});
  readonly prompt: unknown;
  readonly options: GenerateOptions;
  #enqueue = (_token: number): void => {};
  #close = (): void => {};
  readonly #tokens: ReadableStream<number>;

  constructor(prompt: unknown, options: GenerateOptions) {
    this.prompt = prompt;
    this.options = options;
    this.#tokens = new ReadableStream<number>({
      start: (controller) => {
        this.#enqueue = (token) => controller.enqueue(token);
        this.#close = () => controller.close();
        options.signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
      },
    });
  }

  async say(...tokens: number[]): Promise<void> {
    for (const token of tokens) this.#enqueue(token);
    if (tokens.includes(STOP)) this.#close();
    await new Promise((resolve) => setTimeout(resolve));
  }

  [Symbol.asyncIterator](): AsyncIterator<number> {
    return this.#tokens[Symbol.asyncIterator]();
  }
}

class TranslatorOfTest implements Translator {
  readonly texts: TextOfTest[] = [];
  readonly generation = { steps: 0, batchSize: 0 };

  generate(inputs: unknown, options: GenerateOptions = {}): GeneratedText {
    const text = new TextOfTest(inputs, options);
    this.texts.push(text);
    return text;
  }

  stats() {
    return { generation: this.generation };
  }

  /** The texts that were not given up, by their sentences. */
  get open() {
    const open = this.texts.filter(({ options }) => options.signal?.aborted !== true);
    return open.map(({ prompt, options }) => [sentenceOf(prompt), options.priority]);
  }
}

function sentenceOf(prompt: unknown): number {
  return ENGLISH.findIndex((sentence) => JSON.stringify({ input_ids: promptOf(sentence) }) === JSON.stringify(prompt));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function pageOf(translator: Translator): TranslatedPage {
  const page = new TranslatedPage(ENGLISH, (error) => {
    throw error;
  });
  page.use(translator);
  page.look({ first: 0, last: 2 });
  page.move(true);
  return page;
}

it("a sentence in view is urgent, those around it and behind it are not, and one far above is not wanted", () => {
  const urgencies = [0, 3, 6, 9, 10, 12, 13, 199].map((index) => urgencyOf(index, { first: 10, last: 13 }));
  const [none, later, now] = [null, "background", "user-visible"];
  expect(urgencies).toEqual([none, none, none, later, now, now, later, later]);
});

it("a page asks for what is in view first, and again for what comes into view, where signals have no priority", async () => {
  const translator = new TranslatorOfTest();
  const page = pageOf(translator);
  expect(translator.open).toEqual([
    [0, "user-visible"],
    [1, "user-visible"],
  ]);
  await translator.texts[0]?.say(STOP);
  await translator.texts[1]?.say(STOP);
  expect(translator.open.slice(2)).toEqual([
    [2, "background"],
    [3, "background"],
  ]);
  page.look({ first: 3, last: 4 });
  expect(translator.open.slice(2)).toEqual([
    [2, "background"],
    [3, "user-visible"],
  ]);
  page.look({ first: 0, last: 1 });
  expect(translator.open.slice(2)).toEqual([
    [2, "background"],
    [3, "background"],
  ]);
  page.move(false);
  expect(translator.open.slice(2)).toEqual([]);
});

it("a page gives up what is scrolled past", () => {
  const translator = new TranslatorOfTest();
  const page = pageOf(translator);
  page.look({ first: 3, last: 4 });
  expect(translator.open).toEqual([[3, "user-visible"]]);
});

it("a page changes the priority of a text, where signals have one", () => {
  const set = vi.fn();
  vi.stubGlobal(
    "TaskController",
    class extends AbortController {
      readonly setPriority = set;
    },
  );
  const translator = new TranslatorOfTest();
  const page = pageOf(translator);
  page.look({ first: 1, last: 3 });
  expect(set.mock.calls).toEqual([["background"]]);
  page.look({ first: 0, last: 2 });
  expect(set.mock.calls).toEqual([["background"], ["user-visible"], ["background"]]);
  expect(translator.texts).toHaveLength(3);
});

it("the words of a translation take the places of the words of its sentence, and its time is that of the first view", async () => {
  const translator = new TranslatorOfTest();
  const page = pageOf(translator);
  const [first, second] = page.sentences;
  const shown = (): unknown[] => [first?.translated.value, first?.left.value, first?.isDone.value];
  expect(shown()).toEqual(["", ENGLISH[0], false]);
  // What is said does not matter here: a fox instead of a cat.
  await translator.texts[0]?.say(...promptOf("the fox"));
  expect(shown()).toEqual(["The fox", "sees a dog.", false]);
  vi.advanceTimersByTime(500);
  await translator.texts[0]?.say(...promptOf("sees a dog."));
  expect(shown()).toEqual(["The fox sees a dog.", "", true]);
  translator.generation.steps = 6;
  translator.generation.batchSize = 3;
  page.tally();
  expect(page.figures.value).toEqual({ wordsPerSecond: 12, done: 1, firstViewMs: null, together: 3 });
  vi.advanceTimersByTime(100);
  await translator.texts[1]?.say(STOP);
  expect(second?.isDone.value).toBe(true);
  page.tally();
  expect(page.figures.value).toMatchObject({ done: 2, firstViewMs: 600 });
  page.restart();
  expect(shown()).toEqual(["", ENGLISH[0], false]);
  expect(page.figures.value).toBeNull();
});

it("a page stops with the first failure, and says it once", async () => {
  const failures: unknown[] = [];
  const page = new TranslatedPage(ENGLISH, (error) => failures.push(error));
  const failure = new Error("the model has failed");
  const translator = new TranslatorOfTest();
  translator.generate = () => ({
    result: new Promise(() => {}),
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }),
  });
  page.use(translator);
  page.look({ first: 0, last: 2 });
  page.move(true);
  await new Promise((resolve) => setTimeout(resolve));
  expect(failures).toEqual([failure]);
});
