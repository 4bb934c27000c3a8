import { halfFloatValue } from "../core/tensor-half-float.js";
import type { Tensor } from "../core/tensor.js";

/** Outputs by name. */
export type Outputs = Readonly<Record<string, Tensor>>;

/**
 * By how much two answers may differ, as a share of the largest number in that output. Kernels sum in another order for another
 * number of rows, which moves a float32 by some millionths of what was summed, and through deep networks by more; a row that its
 * batch-mates meddle with is off by far more.
 */
const SHARE = { float32: 5e-4, float64: 5e-4, float16: 2e-2 } as const;
/** Differences this small are none, however small the output is. */
const NEGLIGIBLE = 1e-7;

/**
 * Says where the items' answers differ beyond tolerance, or `null`. Not-a-number equals itself. Whole numbers, flags and texts
 * must be the same: an answer that flips at a tie flips for one draw of items, and not for the next.
 */
export function difference(alone: readonly Outputs[], together: readonly Outputs[]): string | null {
  for (const name of Object.keys(alone[0] ?? {})) {
    const scale = Math.max(...alone.map((outputs) => largest(outputs[name])));
    for (const [item, outputs] of alone.entries()) {
      const found = tensorDifference(outputs[name], together[item]?.[name], scale);
      if (found !== null) return `output "${name}": ${found}`;
    }
  }
  return null;
}

/** Whether every item has the same answer, so that nothing can be told from comparing them. */
export function areAllAlike([first, ...others]: readonly Outputs[]): boolean {
  const isLike = (outputs: Outputs) =>
    Object.keys(outputs).every((name) => tensorDifference(first?.[name], outputs[name], 0) === null);
  return others.every(isLike);
}

function tensorDifference(expected: Tensor | undefined, got: Tensor | undefined, scale: number): string | null {
  if (expected === undefined || got === undefined) return "it is missing";
  if (expected.dims.join() !== got.dims.join()) {
    return `expected dims [${expected.dims.join(", ")}], got [${got.dims.join(", ")}]`;
  }
  // Less than nothing for what has no tolerance: large whole numbers that differ may be the same as numbers.
  const tolerance = isFloating(expected) ? NEGLIGIBLE + SHARE[expected.type] * scale : -1;
  const [right, actual] = [elementsOf(expected), elementsOf(got)];
  for (let index = 0; index < right.length; index++) {
    const [one, other] = [right[index], actual[index]];
    if (one === other || Object.is(one, other)) continue;
    // Not-a-number makes this false, whichever of the two it is.
    if (Math.abs(Number(one) - Number(other)) <= tolerance) continue;
    return `expected ${String(one)} as alone, got ${String(other)}`;
  }
  return null;
}

function largest(tensor: Tensor | undefined): number {
  if (tensor === undefined || !isFloating(tensor)) return 0;
  let most = 0;
  for (const element of elementsOf(tensor)) {
    const size = Math.abs(Number(element));
    if (size > most && size < Infinity) most = size;
  }
  return most;
}

function isFloating(tensor: Tensor): tensor is Tensor & { readonly type: keyof typeof SHARE } {
  return tensor.type in SHARE;
}

function elementsOf({ type, data }: Tensor): ArrayLike<unknown> & Iterable<unknown> {
  return type === "float16" && data instanceof Uint16Array
    ? Array.from(data, halfFloatValue)
    : Array.from<unknown>(data);
}
