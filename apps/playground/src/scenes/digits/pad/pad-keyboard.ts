import { signal } from "@preact/signals";
import type { Digits } from "../digits.js";
import type { PenCursor } from "./pad-painter.js";

const STEP = 0.04;

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/**
 * Draws by keyboard: the arrow keys move the pen, Space lowers and lifts it, 0 to 9 draw samples, Delete clears the
 * pad.
 */
export class PadKeyboard {
  /** `null` until the first arrow key or Space, so that users of a mouse or a finger never see the cursor. */
  readonly cursor = signal<PenCursor | null>(null);
  readonly #digits: Digits;

  constructor(digits: Digits) {
    this.#digits = digits;
  }

  /** Handles a key. Returns false if the pad does not use this key. */
  press(key: string): boolean {
    const direction = DIRECTIONS[key];
    if (direction !== undefined) this.#move(direction);
    else if (key === " ") this.#togglePen();
    else if (/^\d$/.test(key)) this.#draw(() => this.#digits.showSample(Number(key)));
    else if (key === "Delete" || key === "Backspace") this.#draw(() => this.#digits.clear());
    else return false;
    return true;
  }

  /** Lifts the pen and hides the cursor. */
  leave(): void {
    if (this.cursor.value?.isDown) this.#digits.drawing.penUp();
    this.cursor.value = null;
  }

  #move([right, down]: readonly [number, number]): void {
    const { x, y, isDown } = this.#current();
    const moved = { x: clamp(x + right), y: clamp(y + down), isDown };
    this.cursor.value = moved;
    if (isDown) this.#digits.drawing.penMove(moved);
  }

  #togglePen(): void {
    const cursor = this.#current();
    this.cursor.value = { ...cursor, isDown: !cursor.isDown };
    if (cursor.isDown) this.#digits.drawing.penUp();
    else {
      this.#digits.takePen();
      this.#digits.drawing.penDown(cursor);
    }
  }

  #draw(change: () => void): void {
    this.leave();
    change();
  }

  #current(): PenCursor {
    return this.cursor.value ?? { x: 0.5, y: 0.5, isDown: false };
  }
}

function clamp(share: number): number {
  return Math.min(0.95, Math.max(0.05, share));
}
