import { createPipeline, type BatchedModel, type Pipeline, type StageCallOptions } from "framebatch";
import type { TextBox } from "../boxes/text-boxes.js";
import type { FoundLine, PlacedText } from "./found-line.js";
import type { LineImage } from "./line-image.js";
import { fromOutputs } from "./line-text.js";

/** A page to read. */
export interface PageJob {
  /** Transferred to the detector's worker, which closes it. */
  readonly page: ImageBitmap;
  /** Called once, with all boxes in reading order. */
  readonly onFound?: (boxes: readonly TextBox[]) => void;
  /** Called for each line when its text is read, in any order. `index` is its place in the reading order. */
  readonly onRead?: (line: PlacedText, index: number) => void;
}

/** The models of a reader. A `stats` of the recognizer sets how many lines a stream keeps in work. */
export interface PageModels {
  readonly detector: Pick<BatchedModel<ImageBitmap, FoundLine[]>, "predict">;
  readonly recognizer: Pick<BatchedModel<LineImage>, "predict" | "stats">;
}

/** Reads pages. The result has the lines in reading order. */
export type PagePipeline = Pipeline<PageJob, readonly PlacedText[]>;

interface LinePart extends FoundLine {
  readonly index: number;
  readonly job: PageJob;
}

/** Detects the lines of a page, reads each one, and collects the texts. Lines of all pages share batches. */
export function createPagePipeline({ detector, recognizer }: PageModels): PagePipeline {
  const reading = {
    predict: (part: LinePart, options: StageCallOptions) => readLine(recognizer, part, options),
    stats: () => recognizer.stats(),
  };
  return createPipeline<PageJob>()
    .stage((job, options) => findLines(detector, job, options), { name: "detect" })
    .split((lines) => lines, { name: "lines" })
    .stage(reading, { name: "recognize" })
    .collect((lines) => lines, { name: "page" });
}

async function findLines(
  detector: PageModels["detector"],
  job: PageJob,
  options: StageCallOptions,
): Promise<LinePart[]> {
  const lines = await detector.predict(job.page, { ...options, transfer: true });
  job.onFound?.(lines.map(({ box }) => box));
  return lines.map((line, index) => ({ ...line, index, job }));
}

async function readLine(
  recognizer: PageModels["recognizer"],
  { box, image, index, job }: LinePart,
  options: StageCallOptions,
): Promise<PlacedText> {
  const line = { ...fromOutputs(await recognizer.predict(image, { ...options, transfer: true })), box };
  job.onRead?.(line, index);
  return line;
}
