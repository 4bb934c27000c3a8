import type { CanvasColours, Colour } from "../../../theme.js";
import type { Point, Stroke } from "./drawing.js";
import { PICTURE_SIZE, toPath } from "./rasterize.js";
import type { Pose } from "../wall/variants.js";

/** Width of the pen, as a fraction of the pad. */
const PEN_WIDTH = 0.075;
const CURSOR_RADIUS = 0.03;

/** The cursor for drawing by keyboard. */
export interface PenCursor extends Point {
  readonly isDown: boolean;
}

/** Paints the drawing in a pose, at the pad's full resolution. */
export function paintPad(
  canvas: HTMLCanvasElement,
  strokes: readonly Stroke[],
  pose: Pose,
  cursor: PenCursor | null,
  colours: CanvasColours,
): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.setTransform(canvas.width, 0, 0, canvas.height, 0, 0);
  context.clearRect(0, 0, 1, 1);
  context.save();
  hold(context, middleOf(strokes), pose);
  context.lineWidth = PEN_WIDTH;
  context.lineCap = context.lineJoin = "round";
  context.strokeStyle = toCss(colours.ink);
  context.stroke(toPath(strokes, (point) => point));
  context.restore();
  if (cursor !== null) paintCursor(context, cursor, colours.accent);
}

/** Sets the canvas resolution to the number of device pixels that it covers. */
export function fitToScreen(canvas: HTMLCanvasElement): void {
  const side = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
  if (canvas.width !== side) canvas.width = canvas.height = side;
}

function hold(context: CanvasRenderingContext2D, middle: Point, pose: Pose): void {
  context.translate(middle.x + pose.shiftX / PICTURE_SIZE, middle.y + pose.shiftY / PICTURE_SIZE);
  context.rotate(pose.rotation);
  context.scale(pose.scale, pose.scale);
  context.translate(-middle.x, -middle.y);
}

function middleOf(strokes: readonly Stroke[]): Point {
  const points = strokes.flat();
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return points.length === 0
    ? { x: 0.5, y: 0.5 }
    : { x: (Math.min(...xs) + Math.max(...xs)) / 2, y: (Math.min(...ys) + Math.max(...ys)) / 2 };
}

/** Draws a ring while the pen is up, and a dot while it is down. */
function paintCursor(context: CanvasRenderingContext2D, { x, y, isDown }: PenCursor, colour: Colour): void {
  context.beginPath();
  context.arc(x, y, CURSOR_RADIUS, 0, 2 * Math.PI);
  context.lineWidth = 0.01;
  context.strokeStyle = context.fillStyle = toCss(colour);
  if (isDown) context.fill();
  else context.stroke();
}

function toCss(colour: Colour): string {
  return `rgb(${colour.join(" ")})`;
}
