import type { JSHandle, Page } from "@playwright/test";
import type { BatchedModel, ModelOptions, ModelState, SharingStats } from "framebatch";
import { MODEL_PATHS } from "./sites/site.js";
import { expect } from "./test.js";

/** The number of callers. Each makes its next request as soon as it gets an answer. */
const CALLERS = 16;
/** Small, because each batch size needs a warm-up in every worker, and its own shaders on a GPU. */
const MAX_BATCH_SIZE = 8;

/** The outcomes of the requests of an ordeal. */
export interface Tally {
  readonly asked: number;
  readonly answered: number;
  /**
   * Answers that differ in any bit both from the model's first answer to the item alone and from the answer on WASM.
   */
  readonly wrong: number;
  /** The error codes of failed requests. */
  readonly failures: readonly string[];
  readonly states: readonly ModelState[];
  readonly provider: string;
  readonly shared: SharingStats;
}

/** The part of an ordeal that runs in the page. */
interface Load {
  readonly model: BatchedModel;
  tally(): Tally;
  /** Resolves after `count` state changes, and then one more answer per caller. */
  untilState(count: number): Promise<void>;
  end(disposeFirst: boolean): Promise<Tally>;
}

/** A model under full load, for tests that cause faults. */
export class Ordeal {
  readonly page: Page;
  readonly #handle: JSHandle<Load>;

  private constructor(page: Page, handle: JSHandle<Load>) {
    this.page = page;
    this.#handle = handle;
  }

  /** Starts the load. Resolves when the model answers. @param page a page with `window.harness` */
  static async begin(
    page: Page,
    options: Pick<ModelOptions, "executionProviders" | "runTimeoutMs" | "instances" | "shared">,
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
          return {
            asked,
            answered,
            wrong,
            failures,
            states,
            provider: model.executionProvider,
            shared: model.stats().shared,
          };
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

  /** Resolves when this many models use the session. */
  async untilTabs(tabs: number): Promise<void> {
    await expect.poll(async () => (await this.tally()).shared).toEqual({ isShared: true, reason: null, tabs });
  }

  tally(): Promise<Tally> {
    return this.#handle.evaluate((ordeal) => ordeal.tally());
  }

  /** Resolves after `count` state changes since the start, and then one more answer per caller. */
  untilState(count: number): Promise<void> {
    return this.#handle.evaluate((ordeal, wanted) => ordeal.untilState(wanted), count);
  }

  untilAnswered(): Promise<void> {
    return this.untilState(0);
  }

  restart(): Promise<void> {
    return this.#handle.evaluate(({ model }) => model.restart());
  }

  /** Stops the load and disposes the model. With `disposeFirst`, disposes the model while requests are open. */
  end({ disposeFirst = false } = {}): Promise<Tally> {
    return this.#handle.evaluate((ordeal, first) => ordeal.end(first), disposeFirst);
  }
}

/** Expects that every request got a correct answer. */
export function expectUnharmed({ asked, answered, wrong, failures }: Tally): void {
  expect({ answered, wrong, failures }).toEqual({ answered: asked, wrong: 0, failures: [] });
}
