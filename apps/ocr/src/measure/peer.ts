import Ocr from "@gutenye/ocr-browser";
import { markedEnd, markedStart } from "./pipelines.js";

/**
 * Opens @gutenye/ocr-browser with the same models, for comparison. It joins lines at the same height across columns, so
 * its order is right on pages with one column only.
 */
export function openPeer(models: string): Promise<Ocr> {
  return Ocr.create({
    models: {
      detectionPath: `${models}/ch_PP-OCRv4_det_infer.onnx`,
      recognitionPath: `${models}/ch_PP-OCRv4_rec_infer.onnx`,
      dictionaryPath: `${models}/ppocr_keys_v1.txt`,
    },
  });
}

/** Reads a page, on this thread, from the file that its users have. Between the marks "start" and "end". */
export async function readWithPeer(peer: Ocr, page: OffscreenCanvas): Promise<{ text: string; ms: number }> {
  const url = URL.createObjectURL(await page.convertToBlob());
  const start = await markedStart();
  const lines = await peer.detect(url);
  const ms = performance.now() - start;
  await markedEnd();
  URL.revokeObjectURL(url);
  return { text: lines.map(({ text }) => text).join("\n"), ms };
}
