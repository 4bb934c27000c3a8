import { firstState, type RowState, step } from "../runtime/recurrent.js";
import { elementsOf, numbersIn } from "../program/items.js";
import type { Entry, Outcome } from "../program/ledger.js";
import type { Play } from "../program/play.js";
import type { AskedTurn, SequenceLog } from "../program/sequence-log.js";
import type { Scene } from "../program/stagehand.js";
import type { Violation } from "./violation.js";

/** The version of the models with states. */
const VERSION = 1;

/**
 * Every output and every snapshot is what the sequence alone would compute. A step that fails, is aborted or is dropped leaves the
 * state as it was; nobody knows of a step whose stream was left.
 */
export function checkSequences({ ledger }: Play, { origin }: Scene): Violation[] {
  const outcomes = outcomesOf([...ledger.entries.values()]);
  return origin.witness.sequences.flatMap((log) => checkOne(log, outcomes));
}

/** What came of the steps, by the number of the item; `null` if nobody knows. */
type Outcomes = ReadonlyMap<number, Outcome | null>;

function outcomesOf(entries: readonly Entry[]): Outcomes {
  const outcomes = new Map<number, Outcome | null>();
  for (const { kind, items, outcome, received } of entries)
    for (const [index, { id }] of items.entries()) {
      const inStream = index < received.length ? { value: received[index] } : null;
      outcomes.set(id, kind === "stream" ? inStream : outcome);
    }
  return outcomes;
}

function checkOne({ model, spec, turns }: SequenceLog, outcomes: Outcomes): Violation[] {
  const initial = firstState(model, spec.initial);
  let states: readonly RowState[] = [initial];
  for (const turn of turns) {
    if (turn.do === "reset") states = [initial];
    else {
      const outcome = turn.do === "step" ? (outcomes.get(turn.item.id) ?? null) : turn.outcome;
      const next = turn.do === "step" ? afterStep(turn, outcome, states) : afterSnapshot(outcome, states);
      if (next.length === 0) return [{ rule: "sequences", what: explain(turn, outcome, states) }];
      states = next;
    }
  }
  return [];
}

/** Returns the states in which a sequence may be after a step; none if the answer is that of no state. */
function afterStep(
  { item }: AskedTurn & { do: "step" },
  outcome: Outcome | null,
  states: readonly RowState[],
): RowState[] {
  const made = states.map((state) => step(elementsOf(item), state, VERSION));
  if (outcome === null) return [...states, ...made.map(({ after }) => after)];
  if ("error" in outcome) return [...states];
  const got = numbersIn(outcome.value)?.join();
  return made.filter(({ y }) => y.join() === got).map(({ after }) => after);
}

function afterSnapshot(outcome: Outcome | null, states: readonly RowState[]): RowState[] {
  if (outcome === null || "error" in outcome) return [...states];
  const got = shown(elementsIn(outcome.value));
  return states.filter((state) => shown(state) === got);
}

/** Returns the elements of each state of a snapshot. */
function elementsIn(snapshot: unknown): number[][] {
  return Object.values(Object(snapshot)).map((tensor) => Array.from(Reflect.get(Object(tensor), "data"), Number));
}

function explain(turn: AskedTurn, outcome: Outcome | null, states: readonly RowState[]): string {
  const value = outcome !== null && "value" in outcome ? outcome.value : null;
  const from = states.map(shown).join(" or ");
  if (turn.do !== "step") return `a snapshot is ${shown(elementsIn(value))}, not ${from}`;
  return `the step with item ${turn.item.id} gave ${numbersIn(value)?.join()}, which does not follow from ${from}`;
}

function shown(state: readonly (readonly number[])[]): string {
  return state.map((elements) => elements.join()).join(" and ");
}
