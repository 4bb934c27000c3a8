import type { CDPSession, Page } from "@playwright/test";
import type { LoadSpec, OpenedVisit, VisitSlice, VisitSpec } from "../../src/page/page-visit.js";
import type { Random } from "../../src/statistics/random.js";
import type { PageSlice } from "./page-slice.js";
import { RendererMemory } from "./renderer-memory.js";
import { typeUntil } from "./typist.js";

/** A load that ends when the code of the lane is compiled and framebatch has learned. */
const WARM_UP: LoadSpec = { load: "widgets-16", sliceMs: 300, longestSliceMs: 300 };

/** A lane that is open on a page. */
export class Visit {
  readonly opened: OpenedVisit;
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #memory: RendererMemory;
  readonly #random: Random;

  private constructor(page: Page, opened: OpenedVisit, session: CDPSession, memory: RendererMemory, random: Random) {
    this.#page = page;
    this.opened = opened;
    this.#session = session;
    this.#memory = memory;
    this.#random = random;
  }

  static async open(page: Page, url: string, spec: VisitSpec, random: Random): Promise<Visit> {
    await page.goto(url);
    const opened: OpenedVisit = await page.evaluate((wanted) => window.bench.openVisit(wanted), spec);
    const session = await page.context().newCDPSession(page);
    const visit = new Visit(page, opened, session, await RendererMemory.open(page), random);
    await visit.measure(WARM_UP);
    return visit;
  }

  /** Types while a load runs. */
  async measure(spec: LoadSpec): Promise<PageSlice> {
    const running: Promise<VisitSlice> = this.#page.evaluate((wanted) => window.bench.measureVisit(wanted), spec);
    const typed = await typeUntil(running, this.#session, this.#random);
    const slice = await running;
    const keyDelaysMs: readonly number[] = await this.#page.evaluate((count) => window.bench.keystrokes(count), typed);
    return { ...slice, keyDelaysMs, memoryBytes: await this.#memory.bytes() };
  }
}
