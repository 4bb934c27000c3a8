import { encodeText, rankLanguages, type EncodedText } from "@framebatch/models/languages";
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { BatchedModel } from "framebatch";
import type { Playground } from "../../playground.js";
import type { TextTable } from "./text-table.js";

export interface SweepResult {
  readonly texts: number;
  readonly ms: number;
}

type SweptPlayground = Pick<Playground, "comparing" | "reportFailure"> & {
  readonly model: ReadonlySignal<Pick<BatchedModel, "predictStream"> | null>;
};

/** Classifies a whole table as one stream, at a lower priority than the visible rows and the typed text. */
export class Sweep {
  readonly isRunning = signal(false);
  /** The result of the last complete run; `null` before the first one. */
  readonly result = signal<SweepResult | null>(null);
  readonly #playground: SweptPlayground;
  readonly #table: ReadonlySignal<TextTable | null>;
  #running = new AbortController();
  readonly #stopWatching: () => void;

  constructor(playground: SweptPlayground, table: ReadonlySignal<TextTable | null>) {
    this.#playground = playground;
    this.#table = table;
    this.#stopWatching = effect(() => this.#beginAnew());
  }

  async start(): Promise<void> {
    const [model, table] = [this.#playground.model.peek(), this.#table.peek()];
    // A comparison has exclusive use of the model.
    if (model === null || table === null || this.isRunning.peek() || this.#playground.comparing.peek()) return;
    const { signal: stopped } = this.#running;
    const asked: number[] = [];
    const startMs = performance.now();
    this.isRunning.value = true;
    try {
      const options = { priority: "background", signal: stopped } as const;
      let answers = 0;
      for await (const { logits } of model.predictStream(itemsOf(table, asked), options)) {
        table.answer(asked[answers++] ?? 0, rankLanguages(logits?.data ?? []));
      }
      this.result.value = { texts: answers, ms: performance.now() - startMs };
    } catch (error) {
      if (!stopped.aborted) this.#playground.reportFailure(error);
    } finally {
      if (!stopped.aborted) this.isRunning.value = false;
    }
  }

  dispose(): void {
    this.#stopWatching();
    this.#running.abort();
  }

  /** Stops the current run when the table changes or when a comparison starts or ends. */
  #beginAnew(): void {
    void this.#table.value;
    void this.#playground.comparing.value;
    this.#running.abort();
    this.#running = new AbortController();
    this.isRunning.value = false;
    this.result.value = null;
  }
}

/** Generates the items of all rows that contain a letter, on demand. Adds the row of each item to `asked`. */
function* itemsOf(table: TextTable, asked: number[]): Generator<EncodedText> {
  for (const [row, { text }] of table.rows.entries()) {
    const item = encodeText(text);
    if (item.ids.length === 0) continue;
    asked.push(row);
    yield item;
  }
}
