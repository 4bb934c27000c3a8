import { type AnsweredRows, tensorsOf } from "@framebatch/rows/collate/answered-rows.js";
import type { SentRows } from "@framebatch/rows/collate/sent-rows.js";
import { withStateEntries, zeroStates } from "@framebatch/rows/collate/state-entries.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { StateTensor } from "@framebatch/rows/model/recurrence.js";
import { setOwn } from "@framebatch/rows/tensor/record.js";
import type { RowsAnswer, SentStep, StateData } from "../../transport/protocol.js";

type Steps = readonly (SentStep | null)[] | undefined;

/** The state of one sequence, in this worker. */
interface Kept {
  /** The newest step that has run. */
  readonly step: number;
  /** The state before it, from which it may run again; `null` if the page has brought `after`. */
  readonly before: StateData | null;
  readonly after: StateData;
  /** The last run that has begun with a step of the sequence. Only that one may advance the state. */
  run: StatesBefore | null;
}

/** The states from which the rows of a run start. */
export interface StatesBefore {
  readonly ofRows: readonly StateData[];
}

/** The states of the sequences in one worker. The contract is in `packages/rows/README.md`. */
export class SequenceStates {
  readonly #states: readonly StateTensor[];
  readonly #initial: StateData;
  readonly #kept = new Map<number, Kept>();

  constructor(states: readonly StateTensor[]) {
    this.#states = states;
    this.#initial = { tensors: zeroStates(states) };
  }

  /**
   * Returns the state from which each row starts: that of its step, or the initial one.
   * @throws SEQUENCE_LOST when the state of a step is not here
   */
  before(rows: number, steps: Steps): StatesBefore {
    const ofRows = Array.from({ length: rows }, (_, row) => this.#beforeStep(steps?.[row] ?? null));
    const before = { ofRows };
    for (const sent of steps ?? []) {
      const kept = sent === null ? undefined : this.#kept.get(sent.sequence);
      if (kept !== undefined) kept.run = before;
    }
    return before;
  }

  /** Returns the columns of a run: those of its rows, with those of the states. */
  withStates(ofItems: SentRows["columns"], { ofRows }: StatesBefore): SentRows["columns"] {
    const ofStates = this.#states.map((_, index) => ofRows.map(({ tensors }) => tensors[index]!));
    return withStateEntries(ofItems, this.#states, ofStates);
  }

  #beforeStep(sent: SentStep | null): StateData {
    if (sent === null) return this.#initial;
    const { sequence, step, from } = sent;
    if (from !== undefined) this.#kept.set(sequence, { step: step - 1, before: null, after: from, run: null });
    const kept = this.#kept.get(sequence);
    const state = kept === undefined ? null : stateBefore(step, kept);
    if (state !== null) return state;
    throw new FramebatchError(
      "SEQUENCE_LOST",
      `expected the state before step ${step} of a sequence, got a worker that has run ${kept?.step ?? "none"}; send the state with the step`,
    );
  }

  /** Takes the new states off the answers of a run that has succeeded, and keeps those of steps, all at once. */
  advance(
    before: StatesBefore,
    answered: AnsweredRows,
    rows: number,
    steps: Steps,
  ): Pick<RowsAnswer, "outputs" | "states"> {
    if (this.#states.length === 0) return { outputs: answered };
    const outputs: AnsweredRows = this.#withoutStates(answered);
    if (steps === undefined) return { outputs };
    const columns = this.#states.map(({ output }) => tensorsOf(answered[output.name] ?? [], rows));
    const after = before.ofRows.map((_, row) => ({ tensors: columns.map((column) => column[row]!.data) }));
    return { outputs, states: this.keep(before, after, steps) };
  }

  /**
   * Keeps the states after the steps of a run, all at once. A sequence that has ended meanwhile has none, and one with a
   * run that has begun later, because the caller of this step has left, gets that of the other run.
   * @param after `null` for a step that has failed
   * @returns the states that the steps return
   */
  keep(
    before: StatesBefore,
    after: readonly (StateData | null)[],
    steps: readonly (SentStep | null)[],
  ): (StateData | null)[] {
    return steps.map((sent, row) => {
      const state = after[row] ?? null;
      if (sent === null || state === null) return null;
      const { sequence, step, returns } = sent;
      const isNewest = this.#kept.get(sequence)?.run === before;
      if (isNewest) this.#kept.set(sequence, { step, before: before.ofRows[row]!, after: state, run: before });
      return returns ? state : null;
    });
  }

  #withoutStates(answered: AnsweredRows): AnsweredRows {
    const names = new Set(this.#states.map(({ output }) => output.name));
    const outputs: Record<string, AnsweredRows[string]> = {};
    for (const [name, tensors] of Object.entries(answered)) if (!names.has(name)) setOwn(outputs, name, tensors);
    return outputs;
  }

  /** Drops the state of a sequence. */
  end(sequence: number): void {
    this.#kept.delete(sequence);
  }
}

function stateBefore(step: number, kept: Kept): StateData | null {
  if (step === kept.step + 1) return kept.after;
  return step === kept.step ? kept.before : null;
}
