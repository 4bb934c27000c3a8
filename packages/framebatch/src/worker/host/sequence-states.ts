import { type AnsweredRows, tensorsOf } from "../../core/collate/answered-rows.js";
import { zeroStates } from "../../core/collate/state-entries.js";
import { FramebatchError } from "../../core/errors.js";
import type { StateTensor } from "../../core/model/recurrence.js";
import { setOwn } from "../../core/tensor/record.js";
import type { RowsAnswer, SentStep, StateData } from "../../transport/protocol.js";

type Steps = readonly (SentStep | null)[] | undefined;

/** The state of one sequence, in this worker. */
interface Kept {
  /** The newest step that has run. */
  readonly step: number;
  /** The state before it, from which it may run again; `null` if the page has brought `after`. */
  readonly before: StateData | null;
  readonly after: StateData;
}

/** The states from which the rows of a run start. */
export interface StatesBefore {
  readonly ofRows: readonly StateData[];
  /** The same states, as columns of rows. */
  readonly columns: readonly StateData[];
}

/** The states of the sequences in one worker. The contract is in `core/collate/README.md`. */
export class SequenceStates {
  readonly #states: readonly StateTensor[];
  readonly #zeros: StateData;
  readonly #kept = new Map<number, Kept>();

  constructor(states: readonly StateTensor[]) {
    this.#states = states;
    this.#zeros = zeroStates(states);
  }

  /**
   * Returns the state from which each row starts: that of its step, or zeros.
   * @throws SEQUENCE_LOST when the state of a step is not here
   */
  before(rows: number, steps: Steps): StatesBefore {
    const ofRows = Array.from({ length: rows }, (_, row) => this.#beforeStep(steps?.[row] ?? null));
    return { ofRows, columns: this.#states.map((_, index) => ofRows.map((state) => state[index]!)) };
  }

  #beforeStep(sent: SentStep | null): StateData {
    if (sent === null) return this.#zeros;
    const { sequence, step, from } = sent;
    if (from !== undefined) this.#kept.set(sequence, { step: step - 1, before: null, after: from });
    const kept = this.#kept.get(sequence);
    const state = kept === undefined ? null : stateBefore(step, kept);
    if (state !== null) return state;
    throw new FramebatchError(
      "SEQUENCE_LOST",
      `expected the state before step ${step} of a sequence, got a worker that has run ${kept?.step ?? "none"}; send the state with the step`,
    );
  }

  /**
   * Takes the new states off the answers of a run that has succeeded, and keeps those of steps, all at once. A sequence
   * that has ended meanwhile has no state.
   */
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
    const after = before.ofRows.map((_, row) => columns.map((column) => column[row]!.data));
    for (const [row, sent] of steps.entries()) {
      if (sent === null || !this.#kept.has(sent.sequence)) continue;
      this.#kept.set(sent.sequence, { step: sent.step, before: before.ofRows[row]!, after: after[row]! });
    }
    return { outputs, states: steps.map((sent, row) => (sent?.returns ? after[row]! : null)) };
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
