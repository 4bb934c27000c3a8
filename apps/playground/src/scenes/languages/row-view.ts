import { signal, type ReadonlySignal } from "@preact/signals";

/** The rows from `first` (inclusive) to `last` (exclusive). */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

export interface RowView {
  /** The visible rows, including partly visible ones. */
  readonly inView: RowRange;
  readonly rowHeight: number;
}

export const NO_ROWS: RowView = { inView: { first: 0, last: 0 }, rowHeight: 1 };

/**
 * Tracks the visible rows of a scrolling box. The CSS property `--row-height` of the box is the height of a row, in
 * pixels.
 */
export class ScrolledRows {
  readonly view: ReadonlySignal<RowView>;
  readonly #view = signal(NO_ROWS);
  readonly #box: HTMLElement;
  readonly #rows: number;
  readonly #resizing = new ResizeObserver(() => this.#resize());
  readonly #listening = new AbortController();
  #rowHeight = NO_ROWS.rowHeight;

  constructor(box: HTMLElement, rows: number) {
    this.view = this.#view;
    this.#box = box;
    this.#rows = rows;
    this.#resizing.observe(box);
    box.addEventListener("scroll", () => this.#look(), { passive: true, signal: this.#listening.signal });
  }

  dispose(): void {
    this.#resizing.disconnect();
    this.#listening.abort();
  }

  #resize(): void {
    this.#rowHeight = Number.parseFloat(getComputedStyle(this.#box).getPropertyValue("--row-height"));
    this.#look();
  }

  /** Updates the view only if the visible rows change. Most scroll steps do not change them. */
  #look(): void {
    const rowHeight = this.#rowHeight;
    const { scrollTop, clientHeight } = this.#box;
    const first = Math.min(this.#rows, Math.max(0, Math.floor(scrollTop / rowHeight)));
    const last = Math.min(this.#rows, Math.ceil((scrollTop + clientHeight) / rowHeight));
    const { inView, rowHeight: before } = this.#view.peek();
    if (inView.first === first && inView.last === last && before === rowHeight) return;
    this.#view.value = { inView: { first, last }, rowHeight };
  }
}

/** Extends the visible rows on both sides to `count` rows in total. */
export function widen({ first, last }: RowRange, count: number, rows: number): RowRange {
  const more = Math.max(0, Math.min(count, rows) - (last - first));
  const start = Math.max(0, Math.min(first - Math.floor(more / 2), rows - (last - first) - more));
  return { first: start, last: start + (last - first) + more };
}
