import { answer, ITEM_LENGTH, MODELS, type RecurrentName, type SimModel, type SimState } from "./models.js";

/** Whole numbers, so that they are exact in 32 bits. */
const MODULUS = 1009;
/** What one step counts in an answer. */
const COUNT_FACTOR = 2048;

/** The states of one row: for each state of the model, its elements. */
export type RowState = readonly (readonly number[])[];

/** Returns the state before the first step. @param seed 0 for zeros */
export function firstState(name: RecurrentName, seed = 0): RowState {
  return statesOf(MODELS[name]).map(({ dims }) =>
    Array.from({ length: sizeOf(dims) }, (_, at) => (seed === 0 ? 0 : seed + at)),
  );
}

/** Returns what a row answers and the state after it. The first state mixes with the item, a second one counts steps. */
export function step(
  x: ArrayLike<number>,
  state: RowState,
  version: number,
): { readonly y: number[]; readonly after: RowState } {
  const [memory = [], count] = state;
  const counted = count?.[0] ?? 0;
  const y = Array.from(x, (element, at) =>
    Math.fround(answer(element, version) + (memory[at] ?? 0) + COUNT_FACTOR * counted),
  );
  const mixed = memory.map((element, at) => (5 * element + Math.floor(x[at] ?? 0) + at) % MODULUS);
  return { y, after: count === undefined ? [mixed] : [mixed, [counted + 1]] };
}

/** The tensors of a run, by name. */
type Data = Readonly<Record<string, { readonly data: Float32Array; readonly dims: readonly number[] }>>;

/** Runs a model with states. Returns the elements of each output. */
export function runRecurrent(model: SimModel, version: number, feeds: Data): Map<string, Float32Array> {
  const { data: x, dims } = feeds["x"]!;
  const size = dims[0]!;
  const states = statesOf(model);
  const y = new Float32Array(x.length);
  const after = states.map(({ input }) => new Float32Array(feeds[input]!.data.length));
  const before = Array.from({ length: size }, (_, row) =>
    states.map((state) => Array.from(places(state, row, size), (place) => feeds[state.input]!.data[place]!)),
  );
  const isMixed = model.mixesFrom !== null && size >= model.mixesFrom;
  for (let row = 0; row < size; row++) {
    const from = before[isMixed ? (row + 1) % size : row]!;
    const made = step(x.subarray(row * ITEM_LENGTH, (row + 1) * ITEM_LENGTH), from, version);
    y.set(made.y, row * ITEM_LENGTH);
    for (const [index, state] of states.entries())
      for (const [at, place] of places(state, row, size).entries()) after[index]![place] = made.after[index]![at]!;
  }
  return new Map([["y", y], ...states.map(({ output }, index) => [output, after[index]!] as const)]);
}

function statesOf({ states = [] }: SimModel): readonly SimState[] {
  return states;
}

function sizeOf(dims: SimState["dims"]): number {
  return dims.reduce<number>((product, dim) => product * (typeof dim === "number" ? dim : 1), 1);
}

/** Returns where the elements of a row's state are in its tensor. */
function places({ dims }: SimState, row: number, rows: number): number[] {
  const axis = dims.findIndex((dim) => typeof dim === "string");
  const inner = sizeOf(dims.slice(axis + 1));
  return Array.from({ length: sizeOf(dims) }, (_, at) => {
    const outer = Math.floor(at / inner);
    return (outer * rows + row) * inner + (at % inner);
  });
}
