import type { Outputs } from "framebatch";
import type { Load, TileColours } from "../measure/load.js";
import { wallGrid } from "./wall-grid.js";

/** Minimum time between two updates of the wall if the visitor prefers reduced motion, in ms. */
const CALM_MS = 500;

/** Gap between tiles, as a fraction of the pitch. */
const GAP = 0.1;

/** Number of answers per turn of a plain tile's clock hand. */
const ROUND = 24;

/** The tiles of a lane, one per caller. Each frame draws the answers that arrived since the previous frame. */
export class LaneWall {
  #context: CanvasRenderingContext2D | null = null;
  #colours: TileColours | null = null;
  #load: Load | null = null;
  #columns = 1;
  /** Distance from one tile to the next, in canvas pixels. */
  #pitch = 0;
  #tiles = 0;
  #turns = new Int32Array(0);
  #outputs: (Outputs | null)[] = [];
  #changed: number[] = [];
  #hasChanged = new Uint8Array(0);
  #frame = 0;
  #calmUntilMs = 0;
  readonly #isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  /**
   * Shows the wall on a canvas whose resolution matches its size on screen. Call it again after a change of size or
   * colours.
   */
  show(canvas: HTMLCanvasElement, tiles: number, colours: TileColours): void {
    this.#context = canvas.getContext("2d");
    this.#colours = colours;
    this.#columns = wallGrid(tiles).columns;
    this.#pitch = canvas.width / (this.#columns - GAP);
    if (tiles !== this.#tiles) this.#clear(tiles);
    this.#context?.clearRect(0, 0, canvas.width, canvas.height);
    for (let tile = 0; tile < tiles; tile++) this.#draw(tile);
  }

  /** Clears the tiles and sets the load whose answers they show. */
  begin(load: Load): void {
    this.#load = load;
    this.#clear(this.#tiles);
    for (let tile = 0; tile < this.#tiles; tile++) this.#draw(tile);
  }

  answer(caller: number, turn: number, outputs: Outputs): void {
    if (caller >= this.#tiles) return;
    this.#turns[caller] = turn;
    this.#outputs[caller] = outputs;
    if (this.#hasChanged[caller] === 0) {
      this.#hasChanged[caller] = 1;
      this.#changed.push(caller);
    }
    this.#paintLater();
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#context = null;
    this.#clear(0);
  }

  #clear(tiles: number): void {
    this.#tiles = tiles;
    this.#turns = new Int32Array(tiles);
    this.#outputs = Array.from({ length: tiles }, () => null);
    this.#changed = [];
    this.#hasChanged = new Uint8Array(tiles);
  }

  #paintLater(): void {
    this.#frame ||= requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    this.#frame = 0;
    if (this.#isCalm && performance.now() < this.#calmUntilMs) return this.#paintLater();
    this.#calmUntilMs = performance.now() + CALM_MS;
    for (const tile of this.#changed) {
      this.#hasChanged[tile] = 0;
      this.#draw(tile);
    }
    this.#changed = [];
  }

  #draw(tile: number): void {
    const [context, colours] = [this.#context, this.#colours];
    if (context === null || colours === null) return;
    const [left, top] = [(tile % this.#columns) * this.#pitch, Math.floor(tile / this.#columns) * this.#pitch];
    const size = Math.floor(this.#pitch * (1 - GAP));
    context.setTransform(1, 0, 0, 1, Math.round(left), Math.round(top));
    context.clearRect(0, 0, size, size);
    const outputs = this.#outputs[tile] ?? null;
    const turn = this.#turns[tile] ?? 0;
    const draw = this.#load?.draw;
    if (outputs === null) drawEmpty(context, size, colours);
    else if (draw === undefined) drawHand(context, size, turn, colours);
    else draw({ context, size, caller: tile, turn, outputs, colours });
  }
}

function drawEmpty(context: CanvasRenderingContext2D, size: number, { line }: TileColours): void {
  context.fillStyle = line;
  context.beginPath();
  context.roundRect(0, 0, size, size, size / 8);
  context.fill();
}

/** Draws a clock whose hand advances with each answer. */
function drawHand(context: CanvasRenderingContext2D, size: number, turn: number, colours: TileColours): void {
  drawEmpty(context, size, colours);
  const middle = size / 2;
  const start = -Math.PI / 2;
  const angle = start + (2 * Math.PI * (turn % ROUND)) / ROUND;
  context.fillStyle = colours.accent;
  context.beginPath();
  context.moveTo(middle, middle);
  context.arc(middle, middle, 0.36 * size, start, angle + (2 * Math.PI) / ROUND);
  context.fill();
}
