import type { JSHandle, Page } from "@playwright/test";
import type { BatchedModel, ModelOptions, ModelState } from "framebatch";
import { MODEL_PATHS } from "./site.js";
import { expect } from "./test.js";

/** Callers that each ask again as soon as they are answered. */
const CALLERS = 16;
/** Each size takes a warm-up in every worker, and shaders of its own on a GPU. */
const MAX_BATCH_SIZE = 8;

/** What became of the requests of an ordeal. */
export interface Tally {
  readonly asked: number;
  readonly answered: number;
  /** Answers that differ, by however little, from what each item alone gives: on the model at first, or on WASM. */
  readonly wrong: number;
  /** Codes of the errors of those that failed. */
  readonly failures: readonly string[];
  readonly states: readonly ModelState[];
  readonly provider: string;
}

/** What an ordeal has on its page. */
interface Load {
  readonly model: BatchedModel;
  tally(): Tally;
  /** Resolves once there have been so many states, and then so many more answers as there are callers. */
  untilState(count: number): Promise<void>;
  end(disposeFirst: boolean): Promise<Tally>;
}

/** A model under full load, to which something is done. */
export class Ordeal {
  readonly page: Page;
  readonly #handle: JSHandle<Load>;

  private constructor(page: Page, handle: JSHandle<Load>) {
    this.page = page;
    this.#handle = handle;
  }

  /** Returns once the model answers. @param page with `window.harness` on it */
  static async begin(
    page: Page,
    options: Pick<ModelOptions, "executionProviders" | "runTimeoutMs" | "instances">,
  ): Promise<Ordeal> {
    const handle = await page.evaluateHandle(
      async ({ url, callers, chosen }) => {
        const { createBatchedModel, createReference, FramebatchError, itemsFor } = window.harness;
        const items = itemsFor("mlp-tiny", callers);
        const model = await createBatchedModel(url, chosen);
        const direct = await (await createReference(url, "wasm")).runAll(items);
        const bits = (outputs: Readonly<Record<string, { readonly data: ArrayLike<unknown> }>>) =>
          Object.values(outputs)
            .map(({ data }) => Array.from(data).join())
            .join(";");
        const right: (readonly string[])[] = [];
        for (const [index, item] of items.entries()) {
          right.push([bits(await model.predict(item)), bits(direct[index] ?? {})]);
        }
        const states: ModelState[] = [];
        const news = new EventTarget();
        model.addEventListener("statechange", ({ detail }) => {
          states.push(detail.state);
          news.dispatchEvent(new Event("news"));
        });
        const until = async (isReached: () => boolean) => {
          while (!isReached()) await new Promise((resolve) => news.addEventListener("news", resolve, { once: true }));
        };
        const failures: string[] = [];
        const over = new AbortController();
        let [asked, answered, wrong] = [0, 0, 0];
        const ask = async (index: number) => {
          asked += 1;
          try {
            const outputs = await model.predict(items[index]!);
            answered += 1;
            news.dispatchEvent(new Event("news"));
            if (right[index]?.includes(bits(outputs)) !== true) wrong += 1;
          } catch (error) {
            failures.push(error instanceof FramebatchError ? error.code : String(error));
          }
        };
        const call = async (index: number) => {
          while (!over.signal.aborted) await ask(index);
        };
        const calls = items.map((_, index) => call(index));
        const tally = () => {
          return { asked, answered, wrong, failures, states, provider: model.executionProvider };
        };
        return {
          model,
          tally,
          untilState: async (count: number) => {
            await until(() => states.length >= count);
            const enough = answered + items.length;
            await until(() => answered >= enough);
          },
          end: async (disposeFirst: boolean) => {
            over.abort();
            if (disposeFirst) await model.dispose();
            await Promise.all(calls);
            await model.dispose();
            return tally();
          },
        };
      },
      { url: MODEL_PATHS["mlp-tiny"], callers: CALLERS, chosen: { maxBatchSize: MAX_BATCH_SIZE, ...options } },
    );
    const ordeal = new Ordeal(page, handle);
    await ordeal.untilAnswered();
    return ordeal;
  }

  tally(): Promise<Tally> {
    return this.#handle.evaluate((ordeal) => ordeal.tally());
  }

  /** Resolves once the model has got into its n-th state since the beginning, and has answered as many requests as there are callers. */
  untilState(count: number): Promise<void> {
    return this.#handle.evaluate((ordeal, wanted) => ordeal.untilState(wanted), count);
  }

  untilAnswered(): Promise<void> {
    return this.untilState(0);
  }

  restart(): Promise<void> {
    return this.#handle.evaluate(({ model }) => model.restart());
  }

  /** Ends the load, and then the model; or the model first, and with it what is open. */
  end({ disposeFirst = false } = {}): Promise<Tally> {
    return this.#handle.evaluate((ordeal, first) => ordeal.end(first), disposeFirst);
  }
}

/** Every request was answered, and rightly. */
export function expectUnharmed({ asked, answered, wrong, failures }: Tally): void {
  expect({ answered, wrong, failures }).toEqual({ answered: asked, wrong: 0, failures: [] });
}
