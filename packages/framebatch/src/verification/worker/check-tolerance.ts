import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import { elementsOf, type Elements } from "@framebatch/rows/tensor/half-float.js";

/** Maximum difference between equal numbers, in rounding steps. */
const FEW = 4;
/** Maximum change of an element, as a multiple of its change when the last bits of its item move. */
const SENSITIVITY = 4;
/** Maximum difference, as a share of the element, or of its median deviation from item to item. */
const SHARE = 1e-3;
/** `SHARE` for half-precision numbers. */
const HALF_SHARE = 2e-2;

/** Tolerance for the same item at the same place in batches of one size: the same computation for any batch-mates. */
export function forSamePlace(answer: Answer): (output: string) => Within {
  return (output) => {
    const tensor = answer[output];
    if (tensor === undefined) return () => false;
    const elements = elementsOf(tensor);
    const share = FEW * roundingOf(tensor);
    return (index, apart) => apart < Infinity && apart <= share * Math.abs(Number(elements[index]));
  };
}

/** Outputs of an item, for a comparison. */
export interface KnownOutputs {
  readonly alone: Answer;
  readonly together: Answer;
  /** Outputs of the same batch after the last bits of its items have been moved. */
  readonly moved: readonly Answer[];
  /** Outputs of all items, if they have no last bits to move (such as ids) and so are on one scale; otherwise empty. */
  readonly others: readonly Answer[];
}

/**
 * Tolerance for an item alone and in a batch, where kernels sum in another order. The allowed difference of an element
 * comes from its change when the last bits of the item move, or from its spread from item to item. Each element is
 * measured separately: one output may hold coordinates next to scores.
 */
export function forOtherSize({ alone, together, moved, others }: KnownOutputs): (output: string) => Within {
  return (output) => {
    const [expected, got] = [alone[output], together[output]];
    if (expected === undefined || got === undefined) return () => false;
    const moves = moved.flatMap((answer) => answer[output] ?? []).map(elementsOf);
    const [elements, from] = [elementsOf(expected), elementsOf(got)];
    const step = roundingOf(expected);
    if (step === 0) {
      const flips = Math.max(0, ...moves.map((to) => flipsBetween(from, to)));
      const isFew = flipsBetween(elements, from) <= SENSITIVITY * flips;
      return () => isFew;
    }
    const share = expected.type === "float16" ? HALF_SHARE : SHARE;
    const floor = FEW * step * largest(elements);
    const peers = others
      .flatMap((answer) => answer[output] ?? [])
      .filter(({ dims }) => dims.join() === expected.dims.join());
    const columns = peers.map(elementsOf);
    return (index, apart) => {
      if (apart === Infinity) return false;
      const beyond = apart - floor;
      if (beyond <= share * Math.abs(Number(elements[index]))) return true;
      if (moves.some((to) => beyond <= SENSITIVITY * distance(from[index], to[index]))) return true;
      return beyond <= share * medianDeviation(columns.map((column) => Number(column[index])));
    };
  };
}

function flipsBetween(one: Elements, other: Elements): number {
  let flips = 0;
  for (let index = 0; index < one.length; index++) if (distance(one[index], other[index]) > 0) flips += 1;
  return flips;
}

function largest(elements: Elements): number {
  let most = 0;
  for (let index = 0; index < elements.length; index++) {
    const size = Math.abs(Number(elements[index]));
    if (size > most && size < Infinity) most = size;
  }
  return most;
}

/** Returns the median distance from the median, which one extreme item does not raise. */
function medianDeviation(values: readonly number[]): number {
  const middle = median(values.filter(Number.isFinite));
  return median(values.filter(Number.isFinite).map((value) => Math.abs(value - middle)));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}

/**
 * Returns true if the output is missing or equal in all answers, compared up to the shorter length. Two NaN are equal.
 */
export function tellsNothing(output: string, answers: readonly Answer[]): boolean {
  const tensors = answers.flatMap((answer) => answer[output] ?? []);
  const [first] = tensors;
  if (first === undefined) return true;
  const isWithin = forSamePlace({ [output]: first })(output);
  const known = elementsOf(first);
  return tensors.map(elementsOf).every((elements) => {
    const length = Math.min(known.length, elements.length);
    for (let index = 0; index < length; index++) {
      const apart = distance(known[index], elements[index]);
      if (apart > 0 && !isWithin(index, apart)) return false;
    }
    return true;
  });
}

/** Returns true if the output is missing or contains only NaN. */
export function isNoNumber(tensor: Tensor | undefined): boolean {
  if (tensor === undefined) return true;
  const elements = elementsOf(tensor);
  for (let index = 0; index < elements.length; index++) if (!Number.isNaN(elements[index])) return false;
  return true;
}

/** The outputs of one item, by output name. */
export type Answer = Readonly<Record<string, Tensor>>;

/** Returns true if an element may differ by `apart`, which is Infinity if the difference cannot be measured. */
type Within = (index: number, apart: number) => boolean;

/** Describes the first difference between `got` and `expected` and names its output; `null` if there is none. */
export function difference(expected: Answer, got: Answer, withinOf: (output: string) => Within): string | null {
  for (const [output, tensor] of Object.entries(expected)) {
    const text = tensorDifference(tensor, got[output], withinOf(output));
    if (text !== null) return `output "${output}": ${text}`;
  }
  return null;
}

function tensorDifference(expected: Tensor, got: Tensor | undefined, isWithin: Within): string | null {
  if (got === undefined) return "it is missing";
  if (expected.dims.join() !== got.dims.join()) {
    return `expected dims [${expected.dims.join(", ")}], got [${got.dims.join(", ")}]`;
  }
  const [right, actual] = [elementsOf(expected), elementsOf(got)];
  for (let index = 0; index < right.length; index++) {
    const apart = distance(right[index], actual[index]);
    if (apart === 0 || isWithin(index, apart)) continue;
    return `expected ${String(right[index])}, got ${String(actual[index])}`;
  }
  return null;
}

/** Returns the absolute difference: 0 for equal values and for two NaN, Infinity if it cannot be measured. */
function distance(one: unknown, other: unknown): number {
  if (one === other || Object.is(one, other)) return 0;
  const apart = typeof one === "number" && typeof other === "number" ? Math.abs(one - other) : Infinity;
  return Number.isNaN(apart) ? Infinity : apart;
}

/** Returns the relative rounding step of the tensor's type; 0 for exact types. */
function roundingOf({ type }: Tensor): number {
  switch (type) {
    case "float16":
      return 2 ** -10;
    case "float32":
      return 2 ** -23;
    case "float64":
      return 2 ** -52;
    default:
      return 0;
  }
}
