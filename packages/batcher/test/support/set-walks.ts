import { vi } from "vitest";

/** Counts how often a set of more than ten entries is iterated, from now on until mocks are restored. */
export function countSetWalks(): { readonly walks: number } {
  const counted = { walks: 0 };
  const iterate = Reflect.get(Set.prototype, Symbol.iterator);
  vi.spyOn(Set.prototype, Symbol.iterator).mockImplementation(function (this: Set<unknown>) {
    if (this.size > 10) counted.walks += 1;
    return iterate.call(this);
  });
  return counted;
}
