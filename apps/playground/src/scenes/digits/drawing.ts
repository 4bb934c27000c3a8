import { computed, signal } from "@preact/signals";

/** On the pad, whose sides run from 0 to 1, from the top left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Points that the pen visited without being lifted. */
export type Stroke = readonly Point[];

/** What is on the pad. Starting to draw replaces a sample, and goes on with one's own drawing. */
export class Drawing {
  readonly strokes = signal<readonly Stroke[]>([]);
  readonly isEmpty = computed(() => this.strokes.value.length === 0);
  /** Whether the visitor's pen is down. */
  readonly isDrawing = signal(false);
  /** Counts what the visitor did; what the page animates by itself does not count. */
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

  /** Puts a ready-made drawing, or the part of it that is drawn so far, on the pad. */
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
