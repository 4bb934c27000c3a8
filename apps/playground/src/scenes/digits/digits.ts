import { computed, effect, signal } from "@preact/signals";
import type { Playground } from "../../playground.js";
import { Drawing } from "./drawing.js";
import { createRasterizer } from "./rasterize.js";
import type { Reading } from "./read-digit.js";
import { playSample } from "./sample-player.js";
import { startSway } from "./sway.js";
import { UPRIGHT, type Pose } from "./variants.js";

/** How long the drawing rests after the visitor touched it, before it begins to sway. */
const REST_MS = 1200;

/** The state of the Digits scene: one drawing, how it is held, and what the model reads in it. */
export class Digits {
  readonly playground: Playground;
  readonly drawing = new Drawing();
  /** How the whole drawing is held: it sways while nobody draws. */
  readonly pose = signal<Pose>(UPRIGHT);
  readonly reading = signal<Reading | null>(null);
  readonly digit = computed(() => this.reading.value?.digit ?? null);
  /** Tiles that read the same digit as the drawing. */
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

  /** To be called before the visitor draws: their pen and a sample's must not mix. */
  takePen(): void {
    this.#stopSample();
  }

  #swayWhileResting(): (() => void) | undefined {
    const { settings, comparing } = this.playground;
    // Every edit starts the rest anew.
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
