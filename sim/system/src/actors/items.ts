import { answer, ITEM_LENGTH, poisonElement } from "../runtime/models.js";
import type { ItemSpec } from "../scenario/scenario.js";

/** Elements of a large item: the least for which a row does not share an array with others. */
const LARGE_LENGTH = 2 ** 14;

/** Returns the tensor of an item: its number, and a quarter more for each element. */
export function elementsOf({ id, poison, isLarge = false, length = ITEM_LENGTH }: ItemSpec): Float32Array {
  const first = poison === undefined ? id : poisonElement(poison, id);
  return Float32Array.from({ length: isLarge ? LARGE_LENGTH : length }, (_, index) =>
    index === 0 ? first : id + index / 4,
  );
}

/** Returns the right answer for an item. */
export function expectedOf(item: ItemSpec, version: number): number[] {
  return Array.from(elementsOf(item), (x) => answer(x, version));
}

/** Returns the numbers in an answer; `null` if it has another form. */
export function numbersIn(value: unknown): number[] | null {
  if (typeof value === "object" && value !== null && "y" in value) {
    const { y } = value;
    if (typeof y === "object" && y !== null && "data" in y && y.data instanceof Float32Array) return Array.from(y.data);
  }
  return Array.isArray(value) ? value.map(Number) : null;
}
