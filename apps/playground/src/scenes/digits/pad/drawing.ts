import { computed, signal } from "@preact/signals";

/** A point on the pad. Both coordinates run from 0 to 1; the origin is the top left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The points of one pen movement, from pen down to pen up. */
export type Stroke = readonly Point[];

/**
 * The content of the pad. The visitor's first stroke replaces a sample; later strokes add to the visitor's own drawing.
 */
export class Drawing {
  readonly strokes = signal<readonly Stroke[]>([]);
  readonly isEmpty = computed(() => this.strokes.value.length === 0);
  /** True while the visitor's pen is down. */
  readonly isDrawing = signal(false);
  /** The number of changes, by the visitor and by samples. The sway does not count. */
  readonly edits = signal(0);
  #isSample = false;

  penDown(point: Point): void {
    const kept = this.#isSample ? [] : this.strokes.value;
    this.#isSample = false;
    this.isDrawing.value = true;
    this.#edit([...kept, [point]]);
  }

  penMove(...points: readonly Point[]): void {
    if (this.isDrawing.value) this.#edit(extendLast(this.strokes.value, points));
  }

  penUp(): void {
    this.isDrawing.value = false;
  }

  clear(): void {
    this.isDrawing.value = false;
    this.#edit([]);
  }

  /** Replaces the drawing by a sample, or by the part of the sample that is drawn so far. */
  showSample(strokes: readonly Stroke[]): void {
    this.#isSample = true;
    this.isDrawing.value = false;
    this.#edit(strokes);
  }

  #edit(strokes: readonly Stroke[]): void {
    this.strokes.value = strokes;
    this.edits.value++;
  }
}

function extendLast(strokes: readonly Stroke[], points: readonly Point[]): readonly Stroke[] {
  const last = strokes.at(-1) ?? [];
  return [...strokes.slice(0, -1), [...last, ...points]];
}
