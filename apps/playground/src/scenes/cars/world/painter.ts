import { HALF_WIDTH, WORLD, type Traffic, type Track } from "@framebatch/models/drivers";
import type { WorldColours } from "./protocol.js";

/** Height of the part of the world that has the road, in units. */
const VIEW_HEIGHT = 280;

/** A car, in units: from its middle to its nose, and half its width. */
const NOSE = 5;
const SIDE = 2.4;

/** Draws a world. The road is drawn once for each size and theme. */
export class Painter {
  readonly #canvas: OffscreenCanvas;
  readonly #context: OffscreenCanvasRenderingContext2D;
  readonly #track: Track;
  #road: OffscreenCanvas | null = null;
  #colours: WorldColours | null = null;

  constructor(canvas: OffscreenCanvas, track: Track) {
    this.#canvas = canvas;
    this.#context = contextOf(canvas);
    this.#track = track;
  }

  /** @param width in the canvas's own pixels */
  resize(width: number, colours: WorldColours): void {
    const isSame = width === this.#canvas.width && JSON.stringify(colours) === JSON.stringify(this.#colours);
    if (isSame && this.#road !== null) return;
    this.#canvas.width = width;
    this.#canvas.height = Math.round((width * VIEW_HEIGHT) / WORLD.width);
    this.#colours = colours;
    this.#road = drawRoad(this.#canvas, this.#track, colours);
  }

  /** Paints nothing on a canvas without a size, as a hidden one has none. */
  paint(traffic: Traffic): void {
    const [context, colours] = [this.#context, this.#colours];
    if (colours === null || this.#road === null || this.#canvas.width === 0) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    context.drawImage(this.#road, 0, 0);
    const scale = this.#canvas.width / WORLD.width;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.#fillCars(traffic, colours.crashed, (pause) => pause > 0);
    this.#fillCars(traffic, colours.car, (pause) => pause === 0);
  }

  /** Draws the cars of a kind as one path, since a thousand paths would cost more than the frame has. */
  #fillCars(traffic: Traffic, colour: string, isOfKind: (pause: number) => boolean): void {
    const context = this.#context;
    context.fillStyle = colour;
    context.beginPath();
    for (let car = 0; car < traffic.count; car++) if (isOfKind(traffic.pause[car] ?? 0)) addCar(context, traffic, car);
    context.fill();
  }
}

function addCar(context: OffscreenCanvasRenderingContext2D, traffic: Traffic, car: number): void {
  const { x: xs, y: ys, heading: headings, step } = traffic.track;
  const [along, beside, angle] = [traffic.along[car] ?? 0, traffic.beside[car] ?? 0, traffic.angle[car] ?? 0];
  const point = Math.floor(along / step) % xs.length;
  const road = headings[point] ?? 0;
  const past = along - point * step;
  const x = (xs[point] ?? 0) + past * Math.cos(road) - beside * Math.sin(road);
  const y = (ys[point] ?? 0) + past * Math.sin(road) + beside * Math.cos(road);
  const [noseX, noseY] = [NOSE * Math.cos(road + angle), NOSE * Math.sin(road + angle)];
  const [sideX, sideY] = [(-SIDE / NOSE) * noseY, (SIDE / NOSE) * noseX];
  context.moveTo(x + noseX, y + noseY);
  context.lineTo(x - noseX + sideX, y - noseY + sideY);
  context.lineTo(x - 0.5 * noseX, y - 0.5 * noseY);
  context.lineTo(x - noseX - sideX, y - noseY - sideY);
  context.closePath();
}

function drawRoad({ width, height }: OffscreenCanvas, track: Track, colours: WorldColours): OffscreenCanvas {
  const road = new OffscreenCanvas(width, height);
  const context = contextOf(road);
  context.scale(width / WORLD.width, width / WORLD.width);
  context.lineJoin = "round";
  context.beginPath();
  for (const [point, x] of track.x.entries()) context.lineTo(x, track.y[point] ?? 0);
  context.closePath();
  for (const [colour, halfWidth] of [
    [colours.edge, HALF_WIDTH + 4],
    [colours.road, HALF_WIDTH + 3],
  ] as const) {
    context.lineWidth = 2 * halfWidth;
    context.strokeStyle = colour;
    context.stroke();
  }
  return road;
}

function contextOf(canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser does not provide a 2D canvas context in workers.");
  return context;
}
