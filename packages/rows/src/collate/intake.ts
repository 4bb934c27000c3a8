import type { InputPlan } from "./input-plan.js";
import type { TensorElement } from "../tensor/element-types.js";
import type { TensorData } from "../tensor/tensor.js";
import { refuseDetached } from "./refused-input.js";
import { isDetached, ownsBuffer } from "./sent-rows.js";

/** Transfers the elements of callers' arrays into memory that framebatch owns. A `Slab` copies them. */
export interface Intake {
  /**
   * Returns the elements in owned memory if `source` is an array of this type with `length` elements, otherwise `null`.
   */
  take(element: TensorElement, source: unknown, length: number): TensorData | null;
}

/** Moves the contents of a buffer to a new buffer and detaches the old one. May throw if the buffer cannot be moved. */
export type MoveBuffer = (buffer: ArrayBuffer) => ArrayBuffer;

/**
 * Moves arrays that fill their buffer, and copies others. Until `settle`, moved arrays still belong to the caller, so
 * that an item which is refused loses nothing.
 */
export class MovingIntake implements Intake {
  readonly #move: MoveBuffer;
  readonly #copying: Intake;
  #isSettled = false;

  constructor(move: MoveBuffer, copying: Intake) {
    this.#move = move;
    this.#copying = copying;
  }

  take(element: TensorElement, source: unknown, length: number): TensorData | null {
    const view = element.view(source, length);
    return view !== null && ownsBuffer(view) ? view : this.#copying.take(element, source, length);
  }

  /**
   * Takes ownership of an item's arrays, once it is accepted. A buffer that several inputs share is copied. Does
   * nothing when called again.
   * @throws INVALID_INPUT when the caller has given an array away meanwhile. Then it moves none
   */
  settle(plans: readonly InputPlan[], data: (TensorData | null)[]): void {
    if (this.#isSettled) return;
    for (const [index, plan] of plans.entries()) {
      const elements = data[index] ?? null;
      if (elements !== null && isDetached(elements)) throw refuseDetached(plan, elements);
    }
    this.#isSettled = true;
    const buffers = data.map((elements) => (ownsBuffer(elements) ? elements.buffer : null));
    for (const [index, plan] of plans.entries()) {
      const [elements, buffer] = [data[index] ?? null, buffers[index] ?? null];
      if (elements === null || buffer === null) continue;
      const isShared = buffers.indexOf(buffer) !== buffers.lastIndexOf(buffer);
      data[index] = isShared ? this.#copying.take(plan.element, elements, elements.length) : this.#moved(plan, buffer);
    }
  }

  /** Some buffers cannot be moved, such as WebAssembly memory. Those are copied. */
  #moved({ element }: InputPlan, buffer: ArrayBuffer): TensorData {
    try {
      return element.over(this.#move(buffer));
    } catch {
      return element.over(buffer.slice(0));
    }
  }
}
