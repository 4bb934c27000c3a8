import { drawPage } from "@framebatch/ocr/pages/draw-page";

/** Draws a page of the Universal Declaration of Human Rights, in two columns, slightly tilted. */
export async function drawSamplePage(): Promise<ImageBitmap> {
  const { texts } = await import("virtual:sample-page-texts");
  const style = { font: ["", "serif"], fontSize: 26, columns: 2, isDark: false, angle: 0.012, blur: 0 } as const;
  return createImageBitmap(drawPage(texts, style).canvas);
}
