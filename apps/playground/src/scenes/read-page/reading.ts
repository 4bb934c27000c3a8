import { cornersOf } from "@framebatch/ocr/boxes/geometry";
import type { FoundLine } from "@framebatch/ocr/reader/found-line";
import type { LineImage } from "@framebatch/ocr/reader/line-image";
import type { PageReader } from "@framebatch/ocr/reader/open-reader";
import { createPagePipeline, type PageModels } from "@framebatch/ocr/reader/page-pipeline";
import type { ReadLine } from "@framebatch/ocr/text/decode";
import { signal, type Signal } from "@preact/signals";
import type { BatchedModel } from "framebatch";
import type { ActivityLog } from "../../instruments/activity-log.js";
import { batchesByWidth, type BatchedLine, type WidthBatches } from "./width-batches.js";

/** A line on the page. */
export interface ShownLine {
  readonly index: number;
  /** The corners of its box as the `points` of an SVG polygon. */
  readonly points: string;
  /** `null` until the line is read. */
  readonly read: Signal<ReadLine | null>;
}

/** How long a reading took so far, in ms since its start; `null` for what has not happened. */
export interface ReadingTimes {
  readonly foundMs: number | null;
  readonly firstLineMs: number | null;
  readonly doneMs: number | null;
}

/** One reading of one page. */
export class Reading {
  readonly model: BatchedModel;
  /** In reading order; `null` until the detector has found them. */
  readonly lines = signal<readonly ShownLine[] | null>(null);
  readonly readCount = signal(0);
  readonly times = signal<ReadingTimes>({ foundMs: null, firstLineMs: null, doneMs: null });
  readonly batches = signal<readonly WidthBatches[]>([]);
  #images: readonly LineImage[] = [];
  readonly #detector: PageReader["detector"];
  readonly #log: ActivityLog;
  readonly #onFound: (images: readonly LineImage[]) => void;
  readonly #stopping = new AbortController();
  readonly #startMs = performance.now();
  readonly #batched: BatchedLine[] = [];

  /** @param onFound gets the lines as items of the recognizer */
  constructor(
    detector: PageReader["detector"],
    model: BatchedModel,
    log: ActivityLog,
    onFound: (images: readonly LineImage[]) => void,
  ) {
    this.#detector = detector;
    this.model = model;
    this.#log = log;
    this.#onFound = onFound;
  }

  /** Reads a page, which moves to the detector's worker. Rejects with the first error; resolves if stopped. */
  async read(page: ImageBitmap): Promise<void> {
    const pages = createPagePipeline({ detector: this.#recordedDetector(), recognizer: this.#recordedRecognizer() });
    const { signal: stopped } = this.#stopping;
    try {
      await pages.run(
        { page, onFound: () => this.#time("foundMs"), onRead: (line, index) => this.#show(line, index) },
        { signal: stopped },
      );
      this.#time("doneMs");
    } catch (error) {
      if (!stopped.aborted) throw error;
    } finally {
      await pages.dispose();
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** True if these models have read the whole page. */
  isDoneBy(detector: PageReader["detector"] | null, model: BatchedModel | null): boolean {
    return this.times.peek().doneMs !== null && detector === this.#detector && model === this.model;
  }

  /** The text of all lines read so far, in reading order. */
  text(): string {
    const texts = this.lines.peek()?.map(({ read }) => read.value?.text ?? "") ?? [];
    return texts.filter((text) => text !== "").join("\n");
  }

  #recordedDetector(): PageModels["detector"] {
    return {
      predict: async (page, options) => {
        const found = await this.#detector.predict(page, options);
        this.#images = found.map(({ image }) => image);
        this.#onFound(this.#images);
        this.lines.value = found.map(toShownLine);
        return found;
      },
    };
  }

  /** Sends lines as copies, because the comparison reads them again. */
  #recordedRecognizer(): PageModels["recognizer"] {
    return {
      stats: () => this.model.stats(),
      predict: async (image, options) => {
        const caller = `line ${this.#images.indexOf(image) + 1}`;
        const { outputs, batch } = await this.#log.askDetailed(this.model, caller, image, {
          ...options,
          transfer: false,
        });
        const [, width] = image.pixels.dims;
        if (batch !== null) this.#batched.push({ width, batchId: batch.id });
        this.batches.value = batchesByWidth(this.#batched);
        return outputs;
      },
    };
  }

  #show(read: ReadLine, index: number): void {
    const line = this.lines.peek()?.[index];
    if (line !== undefined) line.read.value = read;
    this.readCount.value++;
    if (this.times.peek().firstLineMs === null) this.#time("firstLineMs");
  }

  #time(event: keyof ReadingTimes): void {
    this.times.value = { ...this.times.peek(), [event]: performance.now() - this.#startMs };
  }
}

function toShownLine({ box }: FoundLine, index: number): ShownLine {
  const points = cornersOf(box).map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`);
  return { index, points: points.join(" "), read: signal<ReadLine | null>(null) };
}
