import { computed, effect, signal } from "@preact/signals";
import type { Playground } from "../../playground.js";
import { Drawing } from "./pad/drawing.js";
import { createRasterizer } from "./pad/rasterize.js";
import type { Reading } from "./pad/read-digit.js";
import { playSample } from "./pad/sample-player.js";
import { startSway } from "./wall/sway.js";
import { UPRIGHT, type Pose } from "./wall/variants.js";

/** Delay, in ms, from the visitor's last change of the drawing to the start of the sway. */
const REST_MS = 1200;

/** The state of the Digits scene: the drawing, its pose and the digit that the model predicts for it. */
export class Digits {
  readonly playground: Playground;
  readonly drawing = new Drawing();
  /** The pose of the drawing. It sways while the visitor does not draw. */
  readonly pose = signal<Pose>(UPRIGHT);
  readonly reading = signal<Reading | null>(null);
  readonly digit = computed(() => this.reading.value?.digit ?? null);
  /** The number of tiles whose predicted digit equals that of the drawing. */
  readonly agreeing = signal(0);
  readonly prefersReducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
  readonly #rasterize = createRasterizer();
  readonly ink = computed(() => this.#rasterize(this.drawing.strokes.value));
  readonly #stopSwaying: () => void;
  #stopSample = (): void => {};

  constructor(playground: Playground) {
    this.playground = playground;
    this.#stopSwaying = effect(() => this.#swayWhileResting());
  }

  dispose(): void {
    this.#stopSample();
    this.#stopSwaying();
  }

  showSample(digit: number): void {
    this.#stopSample();
    this.#stopSample = playSample(this.drawing, digit, this.prefersReducedMotion);
  }

  clear(): void {
    this.#stopSample();
    this.drawing.clear();
  }

  /** Stops a playing sample. Call it before the visitor draws, so that the two do not draw at the same time. */
  takePen(): void {
    this.#stopSample();
  }

  #swayWhileResting(): (() => void) | undefined {
    const { settings, comparing } = this.playground;
    // Each edit restarts the delay.
    const isUntouched = this.drawing.edits.value === 0;
    if (isUntouched || !settings.moving.value || comparing.value || this.drawing.isDrawing.value) return undefined;
    let stop = (): void => {};
    const timer = setTimeout(() => (stop = startSway((pose) => (this.pose.value = pose))), REST_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }
}
