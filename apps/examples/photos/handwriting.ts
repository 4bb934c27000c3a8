import { drawDigit, drawnDigits } from "@framebatch/models/drawn-digits";

/** Pictures of handwritten digits, black on white, as files. Put your photos in their place. */
export function handwriting(count: number): Promise<readonly File[]> {
  const repeated = Array.from({ length: count }, () => drawnDigits).flat();
  return Promise.all(
    repeated.slice(0, count).map(async ({ digit, strokes }) => {
      const ink = drawDigit(strokes, { penWidth: 2.4 });
      return new File([await picture(ink)], `${digit}.png`, { type: "image/png" });
    }),
  );
}

function picture(ink: Float32Array): Promise<Blob> {
  const canvas = new OffscreenCanvas(28, 28);
  const grey = Array.from(ink, (value) => [...Array(3).fill(255 * (1 - value)), 255]).flat();
  canvas.getContext("2d")!.putImageData(new ImageData(Uint8ClampedArray.from(grey), 28, 28), 0, 0);
  return canvas.convertToBlob();
}
