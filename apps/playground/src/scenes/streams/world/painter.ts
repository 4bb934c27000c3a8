import type { StreamColours } from "./protocol.js";
import { KEPT, MISSED, QUIET, VOICE, WAITING, type StepLog } from "./step-log.js";

/** Height of the picture relative to its width. */
const HEIGHT = 280 / 400;

/** Streams in a column of a picture with one column. */
const IN_A_COLUMN = 16;

/** The share of a strip that its bars fill. */
const FILLED = 0.84;

/** The least height of a bar, so that silence is seen, relative to its strip. */
const LEAST = 0.06;

/** Draws the streams as strips. A strip has a bar for each step, as high as it was loud, the latest on the right. */
export class Painter {
  readonly #canvas: OffscreenCanvas;
  readonly #context: OffscreenCanvasRenderingContext2D;
  #colours: StreamColours | null = null;

  constructor(canvas: OffscreenCanvas) {
    this.#canvas = canvas;
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("This browser does not provide a 2D canvas context in workers.");
    this.#context = context;
  }

  /** @param width in the canvas's own pixels */
  resize(width: number, colours: StreamColours): void {
    this.#colours = colours;
    if (width === this.#canvas.width) return;
    this.#canvas.width = width;
    this.#canvas.height = Math.round(width * HEIGHT);
  }

  paint(streams: readonly StepLog[]): void {
    if (this.#colours === null) return;
    const { voice, quiet, waiting, missed } = this.#colours;
    this.#context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    const columns = Math.max(1, Math.round(Math.sqrt(streams.length / IN_A_COLUMN)));
    this.#fill(streams, columns, VOICE, voice);
    this.#fill(streams, columns, QUIET, quiet);
    this.#fill(streams, columns, WAITING, waiting);
    this.#fill(streams, columns, MISSED, missed);
  }

  /** Draws all bars of a kind as one path, since thousands of paths would cost more than the frame has. */
  #fill(streams: readonly StepLog[], columns: number, fate: number, colour: string): void {
    const rows = Math.ceil(streams.length / columns);
    const [cellWidth, cellHeight] = [this.#canvas.width / columns, this.#canvas.height / rows];
    const bars = Math.floor(KEPT / columns) - 2;
    const barWidth = cellWidth / (bars + 2);
    this.#context.fillStyle = colour;
    this.#context.beginPath();
    for (const [index, steps] of streams.entries()) {
      const right = ((index % columns) + 1) * cellWidth - barWidth;
      const middle = (Math.floor(index / columns) + 0.5) * cellHeight;
      for (let back = 1; back <= Math.min(bars, steps.count); back++) {
        const step = steps.count - back;
        if (steps.fate(step) !== fate) continue;
        const height = FILLED * cellHeight * Math.max(LEAST, fate === MISSED ? 0 : steps.loudness(step));
        this.#context.rect(right - back * barWidth, middle - height / 2, 0.7 * barWidth, height);
      }
    }
    this.#context.fill();
  }
}
