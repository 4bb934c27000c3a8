import type { CompletedBatch } from "framebatch";
import type { CssColours } from "../theme.js";
import { batchRows, ridersOf, waitingByColumn, WINDOW_MS, type TimelineWindow } from "./timeline-window.js";

/**
 * The vertical ranges of the bands, as fractions of the canvas height: queued requests, running batches, painted
 * frames.
 */
const BANDS = { waiting: [0, 0.44], batches: [0.5, 0.8], frames: [0.86, 1] } as const;

/** Number of rows for batches. framebatch keeps two in flight, and retries a failed one in parts. */
const ROWS = 3;

/** Maximum number of highlighted requests. They share one colour, and more could not be told apart. */
const SHOWN_RIDERS = 400;

const TICK_MS = 500;

/** Paints a window of the timeline and highlights the batch `chosen` and its requests. */
export function paintTimeline(
  canvas: HTMLCanvasElement,
  view: TimelineWindow,
  chosen: CompletedBatch | null,
  colours: CssColours,
): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  const place: Place = {
    context,
    x: (ms) => ((ms - view.fromMs) / WINDOW_MS) * canvas.width,
    band: ([top, bottom]) => ({ top: top * canvas.height, height: (bottom - top) * canvas.height }),
  };
  paintTicks(place, view, colours);
  paintWaiting(place, view, canvas.width, colours);
  paintBatches(place, view, chosen, colours);
  paintFrames(place, view, colours);
  if (chosen !== null) paintRiders(place, view, chosen, colours);
}

interface Place {
  readonly context: CanvasRenderingContext2D;
  readonly x: (ms: number) => number;
  readonly band: (share: readonly [number, number]) => { readonly top: number; readonly height: number };
}

function paintTicks({ context, x }: Place, { toMs }: TimelineWindow, { line }: CssColours): void {
  context.fillStyle = line;
  for (let ago = TICK_MS; ago < WINDOW_MS; ago += TICK_MS) {
    context.fillRect(Math.round(x(toMs - ago)), 0, 1, context.canvas.height);
  }
}

function paintWaiting({ context, band }: Place, view: TimelineWindow, columns: number, { muted }: CssColours): void {
  const waiting = waitingByColumn(view, columns);
  const most = Math.max(1, ...waiting);
  const { top, height } = band(BANDS.waiting);
  context.fillStyle = muted;
  context.globalAlpha = 0.55;
  context.beginPath();
  context.moveTo(0, top + height);
  for (const [column, count] of waiting.entries()) context.lineTo(column, top + height * (1 - count / most));
  context.lineTo(columns, top + height);
  context.fill();
  context.globalAlpha = 1;
}

function paintBatches(
  { context, x, band }: Place,
  { batches }: TimelineWindow,
  chosen: CompletedBatch | null,
  { accent, ink }: CssColours,
): void {
  const { top, height } = band(BANDS.batches);
  const pitch = height / ROWS;
  const rows = batchRows(batches);
  for (const [index, batch] of batches.entries()) {
    const left = x(batch.dispatchedAtMs);
    const width = Math.max(2, x(batch.completedAtMs) - left - 1);
    context.fillStyle = batch === chosen ? ink : accent;
    context.fillRect(left, top + pitch * ((rows[index] ?? 0) % ROWS), width, pitch - 2);
  }
}

function paintFrames({ context, x, band }: Place, { frames }: TimelineWindow, { muted, differs }: CssColours): void {
  const { top, height } = band(BANDS.frames);
  for (const { atMs, dropped } of frames) {
    const isLate = dropped > 0;
    context.fillStyle = isLate ? differs : muted;
    context.fillRect(
      Math.round(x(atMs)),
      isLate ? top : top + height / 3,
      isLate ? 3 : 1,
      isLate ? height : height / 1.5,
    );
  }
}

/** Paints a bar for each request of the batch, from its call to its dispatch. */
function paintRiders(
  { context, x, band }: Place,
  view: TimelineWindow,
  chosen: CompletedBatch,
  { ink }: CssColours,
): void {
  const riders = ridersOf(view, chosen).slice(0, SHOWN_RIDERS);
  const { top, height } = band(BANDS.waiting);
  const pitch = Math.min(8, height / Math.max(1, riders.length));
  context.fillStyle = ink;
  for (const [row, { askedAtMs, leftAtMs }] of riders.entries()) {
    const left = x(askedAtMs);
    const width = Math.max(2, x(leftAtMs ?? chosen.dispatchedAtMs) - left);
    context.fillRect(left, top + row * pitch, width, Math.max(1, pitch - 1));
  }
}
