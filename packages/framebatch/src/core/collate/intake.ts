import type { InputPlan } from "./input-plan.js";
import type { TensorElement } from "../tensor/element-types.js";
import { Slab } from "../tensor/slab.js";
import type { TensorData } from "../tensor/tensor.js";
import { ownsBuffer } from "./transfer-list.js";

/** How the elements of callers' arrays come to be framebatch's own. */
export interface Intake {
  /** Elements that are ours, if `source` is an array of this type with `length` elements, else `null`. */
  take(element: TensorElement, source: unknown, length: number): TensorData | null;
}

/** Copies, and leaves the caller's arrays alone. */
export class CopyingIntake implements Intake {
  readonly #slab = new Slab();

  take(element: TensorElement, source: unknown, length: number): TensorData | null {
    return element.copy(source, length, this.#slab);
  }

  /** Takes back what it took, once nobody will look at it again. */
  release(taken: readonly (TensorData | null)[]): void {
    this.#slab.release(taken);
  }
}

/** Moves a buffer's memory to a new one, and leaves the old one detached. It may refuse by throwing. */
export type MoveBuffer = (buffer: ArrayBuffer) => ArrayBuffer;

/**
 * Takes over what is given away: arrays that have a buffer to themselves; others are copied. Until `settle`, what was
 * taken is still the caller's, so that an item that is refused has lost nothing.
 */
export class MovingIntake implements Intake {
  readonly #move: MoveBuffer;
  readonly #copying: Intake;

  constructor(move: MoveBuffer, copying: Intake) {
    this.#move = move;
    this.#copying = copying;
  }

  take(element: TensorElement, source: unknown, length: number): TensorData | null {
    const view = element.view(source, length);
    return view !== null && ownsBuffer(view) ? view : this.#copying.take(element, source, length);
  }

  /** Makes ours all that was taken for an item whose every input is right. */
  settle(plans: readonly InputPlan[], data: (TensorData | null)[]): void {
    const buffers = data.map((elements) => (ownsBuffer(elements) ? elements.buffer : null));
    for (const [index, plan] of plans.entries()) {
      const [elements, buffer] = [data[index] ?? null, buffers[index] ?? null];
      if (elements === null || buffer === null) continue;
      const isShared = buffers.indexOf(buffer) !== buffers.lastIndexOf(buffer);
      data[index] = isShared ? this.#copying.take(plan.element, elements, elements.length) : this.#moved(plan, buffer);
    }
  }

  /** Memory of WebAssembly, for one, cannot be moved. */
  #moved({ element }: InputPlan, buffer: ArrayBuffer): TensorData {
    try {
      return element.over(this.#move(buffer));
    } catch {
      return element.over(buffer.slice(0));
    }
  }
}
