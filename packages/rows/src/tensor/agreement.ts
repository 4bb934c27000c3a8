import { elementsOf, type Elements } from "./half-float.js";
import type { Tensor } from "./tensor.js";

/** Outputs of a run, by name: tensors, or one for each row. */
type Answers = Readonly<Record<string, Tensor | readonly Tensor[]>>;

/** The default difference between two ways to run a model, as a share; half-precision numbers may differ by more. */
const SHARE = 1e-3;
const HALF_SHARE = 2e-2;

/**
 * The default difference in any case: a few rounding steps of 1. A sigmoid or a softmax computes its small numbers from
 * numbers near 1, whose rounding is in them: a text detector on a picture without text differs by 2e-7 around 0.
 */
const FLOOR = 8 * 2 ** -23;
const HALF_FLOOR = 8 * 2 ** -10;

/**
 * The part of the elements of an exact type that may differ. A short output, such as the number of a class, may not.
 */
const FLIPS = 0.01;

/** How far two answers may be apart; without a number, by the default of each type. */
export interface Agreement {
  readonly relative?: number | undefined;
  readonly absolute?: number | undefined;
}

/**
 * Returns the first output in which two runs of the same batch disagree; `null` if they agree. A floating-point element
 * may differ by the relative tolerance times itself or, if that is more, times the mean magnitude of its output:
 * kernels sum in different orders. It may differ by the absolute tolerance in any case; by default, by a few rounding
 * steps of 1. Of the elements of another type, one in a hundred may differ: where two scores are close, rounding
 * decides which is larger.
 */
export function disagreement(expected: Answers, got: Answers, agreement: Agreement = {}): string | null {
  for (const [name, tensors] of Object.entries(expected)) {
    const others = [got[name] ?? []].flat();
    const agree = (tensor: Tensor, index: number) => {
      const other = others[index];
      return other !== undefined && tensorsAgree(tensor, other, agreement);
    };
    if (![tensors].flat().every(agree)) return name;
  }
  return null;
}

function tensorsAgree(expected: Tensor, got: Tensor, agreement: Agreement): boolean {
  if (expected.type !== got.type || expected.dims.join() !== got.dims.join()) return false;
  const [right, actual] = [elementsOf(expected), elementsOf(got)];
  const { share, absolute } = toleranceOf(expected, agreement);
  const scale = share === 0 ? 0 : meanMagnitude(right);
  let flipsLeft = isInexact(expected) ? 0 : FLIPS * right.length;
  for (let index = 0; index < right.length; index++) {
    const [one, other] = [right[index], actual[index]];
    if (Object.is(one, other) || one === other) continue;
    const apart = Math.abs(Number(one) - Number(other));
    const isClose = apart < Infinity && apart <= Math.max(absolute, share * Math.max(Math.abs(Number(one)), scale));
    if (!isClose && (flipsLeft -= 1) < 0) return false;
  }
  return true;
}

function isInexact({ type }: Tensor): boolean {
  return type === "float16" || type === "float32" || type === "float64";
}

function toleranceOf(tensor: Tensor, { relative, absolute }: Agreement): { share: number; absolute: number } {
  if (!isInexact(tensor)) return { share: 0, absolute: 0 };
  const { type } = tensor;
  const [share, floor] = type === "float16" ? [HALF_SHARE, HALF_FLOOR] : [SHARE, FLOOR];
  return { share: relative ?? share, absolute: absolute ?? floor };
}

/** Returns the mean absolute value of the finite elements; 0 if there are none. */
function meanMagnitude(elements: Elements): number {
  let [sum, count] = [0, 0];
  for (let index = 0; index < elements.length; index++) {
    const magnitude = Math.abs(Number(elements[index]));
    if (magnitude < Infinity) [sum, count] = [sum + magnitude, count + 1];
  }
  return count === 0 ? 0 : sum / count;
}
