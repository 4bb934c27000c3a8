import { onTestFinished } from "vitest";

const WALKS = ["filter", "shift", "splice", "indexOf", "includes", "find", "findIndex"] as const;

/** Counts the elements of arrays that such methods may look at or move, from now on until the test has finished. */
export function countArrayWalks(): { readonly elements: number } {
  const counted = { elements: 0 };
  for (const name of WALKS) {
    const walk = Reflect.get(Array.prototype, name);
    // No mock: those walk through arrays themselves.
    const counting = function (this: unknown[], ...given: unknown[]): unknown {
      counted.elements += this.length;
      return Reflect.apply(walk, this, given);
    };
    Reflect.set(Array.prototype, name, counting);
    onTestFinished(() => void Reflect.set(Array.prototype, name, walk));
  }
  return counted;
}
