import { type StateTensor, zeroStates } from "@framebatch/rows/model/recurrence.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { SentStep, StateData } from "../sequence-messages.js";
import type { TensorData } from "@framebatch/rows/tensor/tensor.js";
import { type DeviceRow, isOnDevice } from "../../worker/ort/device-rows.js";

/** The steps of the rows of a run; `null` for a row without a sequence. */
export type Steps = readonly (SentStep | null)[];

/** The state of one sequence, in this worker. */
interface Kept {
  /** The newest step that has run. */
  readonly step: number;
  /** The state before it, from which it may run again; `null` if the page has brought `after`. */
  readonly before: HeldState | null;
  readonly after: HeldState;
  /** The last run that has begun with a step of the sequence. Only that one may advance the state. */
  run: StatesBefore | null;
}

/** The states from which the rows of a run start. The run holds them until it releases them. */
export interface StatesBefore {
  readonly ofRows: readonly HeldState[];
}

/** The states of the sequences in one worker. The contract is in the README of this feature. */
export class SequenceStates {
  readonly #initial: StateData;
  readonly #kept = new Map<number, Kept>();

  constructor(states: readonly StateTensor[]) {
    this.#initial = { tensors: zeroStates(states) };
  }

  /**
   * Returns the state from which each row starts: that of its step, or the initial one.
   * @param rows their number
   * @throws SEQUENCE_LOST when the state of a step is not here
   */
  before(rows: number, steps: Steps | undefined): StatesBefore {
    const found = Array.from({ length: rows }, (_, row) => this.#beforeStep(steps?.[row] ?? null));
    const before = { ofRows: found.map(holdState) };
    for (const sent of steps ?? []) {
      const kept = sent === null ? undefined : this.#kept.get(sent.sequence);
      if (kept !== undefined) kept.run = before;
    }
    return before;
  }

  #beforeStep(sent: SentStep | null): HeldState {
    if (sent === null) return this.#initial;
    const { sequence, step, from } = sent;
    if (from !== undefined) this.#set(sequence, { step: step - 1, before: null, after: from, run: null });
    const kept = this.#kept.get(sequence);
    const state = kept === undefined ? null : stateBefore(step, kept);
    if (state !== null) return state;
    throw new FramebatchError(
      "SEQUENCE_LOST",
      `expected the state before step ${step} of a sequence, got a worker that has run ${kept?.step ?? "none"}; send the state with the step`,
    );
  }

  /**
   * Keeps the states after the steps of a run, all at once. A sequence that has ended meanwhile has none, and one with
   * a run that has begun later, because the caller of this step has left, gets that of the other run.
   * @param after taken over; `null` for a step that has failed
   */
  keep(before: StatesBefore, after: readonly (HeldState | null)[], steps: Steps): void {
    for (const [row, sent] of steps.entries()) {
      const state = after[row] ?? null;
      if (sent === null || state === null) continue;
      const { sequence, step } = sent;
      const isNewest = this.#kept.get(sequence)?.run === before;
      if (isNewest) this.#set(sequence, { step, before: holdState(before.ofRows[row]!), after: state, run: before });
      else releaseState(state);
    }
  }

  #set(sequence: number, kept: Kept): void {
    this.end(sequence);
    this.#kept.set(sequence, kept);
  }

  /** Drops the state of a sequence. */
  end(sequence: number): void {
    const kept = this.#kept.get(sequence);
    this.#kept.delete(sequence);
    releaseState(kept?.before ?? null);
    releaseState(kept?.after ?? null);
  }

  /** Drops the states of all sequences. */
  endAll(): void {
    for (const sequence of this.#kept.keys()) this.end(sequence);
  }
}

/** Releases the states from which a run has started. */
export function releaseBefore({ ofRows }: StatesBefore): void {
  for (const state of ofRows) releaseState(state);
}

function stateBefore(step: number, kept: Kept): HeldState | null {
  if (step === kept.step + 1) return kept.after;
  return step === kept.step ? kept.before : null;
}

/** The state of one sequence in this worker: as `StateData`, and what has stayed on the GPU is there. */
export interface HeldState extends Omit<StateData, "tensors"> {
  readonly tensors: readonly (TensorData | DeviceRow)[];
}

/** Returns the same state, which holds what is on the GPU until it is released. */
function holdState(state: HeldState): HeldState {
  if (!state.tensors.some(isOnDevice)) return state;
  return { ...state, tensors: state.tensors.map((row) => (isOnDevice(row) ? row.rows.row(row.index) : row)) };
}

export function releaseState(state: HeldState | null): void {
  for (const row of state?.tensors ?? []) if (isOnDevice(row)) row.release();
}

/** Returns the elements of a state that is in the worker's memory, as all are that no run has left on the GPU. */
export function elementsOf(row: TensorData | DeviceRow): TensorData {
  if (isOnDevice(row)) throw new RangeError("expected a state in the memory of the worker, got one on the GPU");
  return row;
}
