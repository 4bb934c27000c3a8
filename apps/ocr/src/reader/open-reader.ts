import { createBatchedModel, type BatchedModel, type ModelOptions, type Outputs } from "framebatch";
import type { FoundLine } from "./found-line.js";
import type { LineImage } from "./line-image.js";
import { detectorOptions, detectorUrl, recognizerOptions, recognizerUrl } from "./models.js";
import { createPagePipeline, type PagePipeline } from "./page-pipeline.js";

/** Options of both models. */
export type ReaderOptions = Pick<
  ModelOptions,
  "executionProviders" | "batching" | "maxBatchSize" | "verify" | "onProgress" | "signal"
>;

/** Two models, and the pipeline through them. */
export interface PageReader {
  readonly detector: BatchedModel<ImageBitmap, FoundLine[]>;
  readonly recognizer: BatchedModel<LineImage>;
  readonly pages: PagePipeline;
  /** Ends the pipeline and the workers. */
  dispose(): Promise<void>;
}

/**
 * Loads PP-OCRv4's detector and recognizer, 16 MB. The caller disposes of the reader.
 * @param options for both models; `batching` for the recognizer only
 * @throws as `createBatchedModel`
 * @example const lines = await reader.pages.run({ page: bitmap, onRead: (line) => show(line) }, { signal });
 */
export async function openReader({ batching, ...options }: ReaderOptions = {}): Promise<PageReader> {
  const opening = [
    openDetector(options),
    openRecognizer({ ...options, ...(batching !== undefined && { batching }) }),
  ] as const;
  try {
    const [detector, recognizer] = await Promise.all(opening);
    const pages = createPagePipeline({ detector, recognizer });
    const dispose = async () => void (await Promise.all([pages, detector, recognizer].map((part) => part.dispose())));
    return { detector, recognizer, pages, dispose };
  } catch (error) {
    for (const opened of opening) void opened.then((model) => model.dispose()).catch(() => {});
    throw error;
  }
}

/** Loads the detector alone. */
export function openDetector(options: Omit<ReaderOptions, "batching">): Promise<PageReader["detector"]> {
  return createBatchedModel<ImageBitmap, FoundLine[]>(detectorUrl, { ...options, ...detectorOptions });
}

/** Loads the recognizer alone. */
export function openRecognizer(options: ReaderOptions): Promise<PageReader["recognizer"]> {
  return createBatchedModel<LineImage, Outputs>(recognizerUrl, { ...options, ...recognizerOptions });
}
