import { openReader, type PageReader } from "../reader/open-reader.js";
import { drawPage } from "../pages/draw-page.js";
import { pageStyle } from "../pages/page-style.js";
import { characterErrors, type CharacterErrors } from "../text/error-rate.js";

/** How one reader read one page. */
export interface PageResult extends CharacterErrors {
  /** Of the page, whatever was read. */
  readonly lines: number;
  readonly columns: number;
  /** From the call to the first text that a page could show, in ms. */
  readonly firstLineMs: number;
  readonly ms: number;
}

/** Opens the pipeline on WASM. @param batching whether lines share batches */
export function openPipeline(batching: boolean): Promise<PageReader> {
  return openReader({ executionProviders: ["wasm"], ...(!batching && { batching }) });
}

/** Reads a test page, between the performance marks "start" and "end". */
export async function measurePipeline(
  { pages }: PageReader,
  index: number,
  paragraphs: readonly string[],
): Promise<PageResult> {
  const style = pageStyle(index);
  const { canvas, lines } = drawPage(paragraphs, style);
  const page = await createImageBitmap(canvas);
  let firstLineMs = NaN;
  const start = await markedStart();
  const onRead = () => {
    if (Number.isNaN(firstLineMs)) firstLineMs = performance.now() - start;
  };
  const read = await pages.run({ page, onRead });
  const ms = performance.now() - start;
  await markedEnd();
  const text = read.map((line) => line.text).join("\n");
  const truth = lines.map((line) => line.text).join("\n");
  return { ...characterErrors(text, truth), lines: lines.length, columns: style.columns, firstLineMs, ms };
}

/** Marks the start in a task of its own, so that what came before does not count. */
export async function markedStart(): Promise<number> {
  await nextTask();
  performance.mark("start");
  await nextTask();
  return performance.now();
}

export async function markedEnd(): Promise<void> {
  await nextTask();
  performance.mark("end");
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
