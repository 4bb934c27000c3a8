import { elementsOf, type Elements } from "./elements.js";
import type { Tensor } from "./tensor.js";

/** Outputs of a run, by name. */
type Answers = Readonly<Record<string, Tensor>>;

/** The default difference between two ways to run a model, as a share; half-precision numbers may differ by more. */
export const AGREEMENT = 1e-3;
const HALF_AGREEMENT = 2e-2;

/**
 * Returns the first output in which two runs of the same batch disagree; `null` if they agree. A floating-point element
 * may differ by `share` of itself or, if that is more, of the mean magnitude of its output: kernels sum in different
 * orders. Elements of other types must be equal.
 */
export function disagreement(expected: Answers, got: Answers, share = AGREEMENT): string | null {
  for (const [name, tensor] of Object.entries(expected)) {
    const other = got[name];
    if (other === undefined || !tensorsAgree(tensor, other, share)) return name;
  }
  return null;
}

function tensorsAgree(expected: Tensor, got: Tensor, share: number): boolean {
  if (expected.type !== got.type || expected.dims.join() !== got.dims.join()) return false;
  const [right, actual] = [elementsOf(expected), elementsOf(got)];
  const tolerance = toleranceOf(expected, share);
  const scale = tolerance === 0 ? 0 : meanMagnitude(right);
  for (let index = 0; index < right.length; index++) {
    const [one, other] = [right[index], actual[index]];
    if (Object.is(one, other) || one === other) continue;
    const apart = Math.abs(Number(one) - Number(other));
    if (!(apart < Infinity && apart <= tolerance * Math.max(Math.abs(Number(one)), scale))) return false;
  }
  return true;
}

function toleranceOf({ type }: Tensor, share: number): number {
  if (type === "float16") return Math.max(share, HALF_AGREEMENT);
  return type === "float32" || type === "float64" ? share : 0;
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
