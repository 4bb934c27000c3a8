import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeValue } from "@framebatch/batcher/errors/description.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import type { Rectangle, Size } from "./image-to-tensor.js";

/**
 * An image whose pixels can be read: an `ImageBitmap`, `VideoFrame`, `OffscreenCanvas` or `ImageData`; on a page also
 * an image, canvas or video element.
 */
export type ImageSource = CanvasImageSource | ImageData;

/** The properties that hold the size of the pixels, in the order in which an image source is asked for them. */
const SIZES = [
  ["displayWidth", "displayHeight"],
  ["videoWidth", "videoHeight"],
  ["naturalWidth", "naturalHeight"],
  ["width", "height"],
] as const;

/** The largest side of a canvas in every browser; Safari has the smallest. */
const MAX_SIDE = 16_384;

/** Size of the largest canvas that is kept, in pixels: 4 MB. */
const MAX_KEPT_PIXELS = 2 ** 20;

/**
 * The canvas of the last image. To open one takes about as long as to draw a small image: 0.3 of 0.5 ms at 28×28, 0.5 of
 * 0.9 ms at 64×64 in Chromium 156.
 */
let kept: OffscreenCanvasRenderingContext2D | null = null;

const EXPECTED =
  "an ImageBitmap, VideoFrame, OffscreenCanvas, ImageData, image, canvas or video element, or in imageToTensor a Blob";

/** What a video's `readyState` is at least when it has a frame. */
const HAVE_CURRENT_DATA = 2;

/** @throws INVALID_INPUT when it is not an image, or has no pixels yet or any more */
export function imageSize(image: ImageSource): Size {
  const size = typeof image === "object" && image !== null ? declaredSize(image) : undefined;
  if (size === undefined) throw invalidImage(EXPECTED, image, "pass one of them");
  if (size.width > 0 && size.height > 0 && hasArrived(image)) return size;
  const fix = "wait until it has loaded, and pass it before it is closed or transferred";
  throw invalidImage("an image with pixels", image, fix);
}

function declaredSize(image: object): Size | undefined {
  for (const [across, down] of SIZES) {
    const width: unknown = Reflect.get(image, across);
    const height: unknown = Reflect.get(image, down);
    if (typeof width === "number" && typeof height === "number") return { width, height };
  }
  return undefined;
}

/**
 * The size of an element is known before its pixels are there. Until then, a canvas draws nothing, without an error.
 */
function hasArrived(image: object): boolean {
  const readyState: unknown = Reflect.get(image, "readyState") ?? HAVE_CURRENT_DATA;
  return Reflect.get(image, "complete") !== false && Number(readyState) >= HAVE_CURRENT_DATA;
}

/**
 * Draws a whole image, of which the canvas cuts off what exceeds it, and returns its pixels as RGBA, all opaque. No
 * part is named: `drawImage` takes the part of an element in other units than the element's size, with `srcset` in
 * pixels of the file, and of an SVG image without a size in pixels of the canvas.
 * @throws INVALID_OPTION when `background` is not a color, or the size, or that of an `ImageData`, exceeds that of a
 * canvas
 * @throws INVALID_INPUT when the pixels cannot be read
 */
export function drawPixels(image: ImageSource, to: Rectangle, size: Size, background: string): ImageData["data"] {
  const { width, height } = size;
  const context = kept?.canvas.width === width && kept.canvas.height === height ? kept : openOpaque(size);
  // One that fails is not used again: an image of another origin makes all later pixels of its canvas unreadable.
  kept = null;
  context.clearRect(0, 0, width, height);
  fillWith(context, background);
  context.fillRect(0, 0, width, height);
  try {
    context.drawImage("data" in image ? onCanvas(image) : image, ...to);
    const { data } = context.getImageData(0, 0, width, height);
    if (width * height <= MAX_KEPT_PIXELS) kept = context;
    return data;
  } catch (cause) {
    if (cause instanceof FramebatchError) throw cause;
    const fix = "pass it before it is closed or transferred, and load images of other origins with CORS";
    throw invalidImage("an image whose pixels can be read", image, fix, cause);
  }
}

function openOpaque(size: Size): OffscreenCanvasRenderingContext2D {
  const context = openContext(size, { alpha: false, willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  return context;
}

/** Decodes a Blob. The caller closes the bitmap. */
export async function decodeBlob(blob: Blob): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(blob);
  } catch (cause) {
    const type = blob.type === "" ? "without a type" : `of type ${blob.type}`;
    const got = `a Blob of ${blob.size} bytes ${type}`;
    const message = `image: expected an image that the browser can decode, got ${got}; pass a PNG, JPEG or WebP file`;
    throw new FramebatchError("INVALID_INPUT", message, { cause });
  }
}

function onCanvas(image: ImageData): OffscreenCanvas {
  const context = openContext(image, { willReadFrequently: true });
  context.putImageData(image, 0, 0);
  return context.canvas;
}

function openContext(
  { width, height }: Size,
  settings: { readonly alpha?: boolean; readonly willReadFrequently: boolean },
) {
  // A constructor throws for sizes far beyond the limit.
  const isPossible = Math.max(width, height) <= MAX_SIDE;
  const context = isPossible ? new OffscreenCanvas(width, height).getContext("2d", settings) : null;
  if (context !== null) return context;
  const message = `width and height: expected at most ${MAX_SIDE} pixels, got ${width} by ${height}; pass a smaller size`;
  throw new FramebatchError("INVALID_OPTION", message);
}

/** A canvas ignores an invalid color, so its style then depends on the style before. */
function fillWith(context: OffscreenCanvasRenderingContext2D, color: string): void {
  const [afterBlack, afterWhite] = ["#000000", "#ffffff"].map((before) => {
    context.fillStyle = before;
    context.fillStyle = color;
    return context.fillStyle;
  });
  if (afterBlack === afterWhite) return;
  throw optionError("background", "a CSS color", color, 'pass one such as "white" or "#ff8000"');
}

function invalidImage(expected: string, got: unknown, fix: string, cause?: unknown): FramebatchError {
  const message = `image: expected ${expected}, got ${describeValue(got)}; ${fix}`;
  return new FramebatchError("INVALID_INPUT", message, { cause });
}
