import type { JSHandle, Page } from "@playwright/test";
import type { ModelOptions } from "framebatch";
import type { Load, Tally } from "../fixtures/load.js";
import { MODEL_PATHS } from "./sites/site.js";
import { expect } from "./test.js";

/** The number of callers. Each makes its next request as soon as it gets an answer. */
const CALLERS = 16;
/** Small, because each batch size needs a warm-up in every worker, and its own shaders on a GPU. */
const MAX_BATCH_SIZE = 8;

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
      ({ url, callers, chosen }) => window.harness.beginLoad(url, callers, chosen),
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
