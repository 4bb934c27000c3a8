import { firstState, type RowState, step } from "../runtime/recurrent.js";
import { elementsOf, numbersIn } from "../actors/items.js";
import type { Entry, Outcome } from "../logs/ledger.js";
import type { Play } from "../play/play.js";
import type { ItemSpec, Scenario } from "../scenario/scenario.js";
import type { AskedTurn, SequenceLog } from "../logs/sequence-log.js";
import type { Scene } from "../play/stagehand.js";
import { codeIn } from "../logs/error-code.js";
import type { Violation } from "../logs/violation.js";

/** The version of the models with states. */
const VERSION = 1;

/**
 * Every output and every snapshot is what the sequence alone would compute. A step that fails, is aborted or is dropped leaves the
 * state as it was; nobody knows of a step whose stream was left. A state that is lost is so until a reset. Where nothing fails, a
 * snapshot does not either, and no step runs again for nothing.
 */
export function checkSequences({ ledger }: Play, scenario: Scenario, { origin }: Scene): Violation[] {
  const entries = [...ledger.entries.values()];
  const outcomes = outcomesOf(entries);
  const { sequences } = origin.witness;
  return [
    ...sequences.flatMap((log) => [...checkOne(log, outcomes), ...checkLost(log, outcomes)]),
    ...(isUndisturbed(scenario) ? sequences.flatMap(checkSnapshots) : []),
    ...(isOrderly(scenario) ? sequences.flatMap((log) => checkOnce(log, entries, origin.fates.timesRun)) : []),
  ];
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
    // Nobody knows whether enough time has passed without a step.
    if (mayRest(spec)) states = [...states, initial];
    if (turn.do === "reset") states = [initial];
    else {
      const outcome = outcomeOf(turn, outcomes);
      const next = turn.do === "step" ? afterStep(turn, outcome, states) : afterSnapshot(outcome, states);
      if (next.length === 0) return [{ rule: "sequences", what: explain(turn, outcome, states) }];
      states = next;
    }
  }
  return [];
}

/** What came of a turn; `null` if nobody knows. */
function outcomeOf(turn: Exclude<AskedTurn, { do: "reset" }>, outcomes: Outcomes): Outcome | null {
  return turn.do === "step" ? (outcomes.get(turn.item.id) ?? null) : turn.outcome;
}

/** Whether the state goes back to the initial one by itself, which it then has lost no longer. */
function mayRest(spec: SequenceLog["spec"]): boolean {
  return spec["idleMs"] !== undefined;
}

function checkLost({ spec, turns }: SequenceLog, outcomes: Outcomes): Violation[] {
  if (mayRest(spec)) return [];
  let isLost = false;
  for (const turn of turns) {
    const outcome = turn.do === "reset" ? null : outcomeOf(turn, outcomes);
    if (turn.do === "reset") isLost = false;
    else if (isLost && outcome !== null && "value" in outcome)
      return [{ rule: "sequences", what: `a sequence has lost its state, and goes on with a ${turn.do}` }];
    else isLost ||= codeIn(outcome) === "SEQUENCE_LOST";
  }
  return [];
}

function checkSnapshots({ turns }: SequenceLog): Violation[] {
  const codes = turns.flatMap((turn) => (turn.do === "snapshot" ? [codeIn(turn.outcome)] : []));
  const wrong = codes.find((code) => code !== null && code !== "DISPOSED" && code !== "OVERLOADED");
  return wrong === undefined ? [] : [{ rule: "sequences", what: `a snapshot failed with ${wrong}` }];
}

/** Whether all runs and workers do well. */
function isUndisturbed({ faults, steps }: Scenario): boolean {
  return faults.length === 0 && steps.every((asked) => !("items" in asked) || asked.items.every(isPlain));
}

function isPlain({ poison, act }: ItemSpec): boolean {
  return poison === undefined && act === undefined;
}

/** Whether also no check runs steps, and no model starts again, which restores its states. */
function isOrderly(scenario: Scenario): boolean {
  const { steps, subjects } = scenario;
  const areSimple = subjects.every(({ kind, options }) => kind === "sequences" && options["verify"] === false);
  const restarts = steps.some((asked) => asked.do === "restart" && asked.part === undefined);
  return areSimple && !restarts && isUndisturbed(scenario);
}

/** Each step runs once, and the newest once more for a snapshot. After a step that its caller has left, a snapshot restores the state. */
function checkOnce(
  { turns }: SequenceLog,
  entries: readonly Entry[],
  timesRun: ReadonlyMap<number, number>,
): Violation[] {
  const snapshots = turns.filter(({ do: what }) => what === "snapshot").length;
  const items = turns.flatMap((turn) => (turn.do === "step" ? [turn.item.id] : []));
  const own = entries.filter((entry) => entry.items.some(({ id }) => items.includes(id)));
  if (snapshots > 0 && own.some(mayLeave)) return [];
  const again = items.find((id) => (timesRun.get(id) ?? 0) > 1 + snapshots);
  return again === undefined ? [] : [{ rule: "sequences", what: `the step with item ${again} ran again` }];
}

function mayLeave({ abortedAtMs, kind, options }: Entry): boolean {
  return abortedAtMs !== null || kind === "stream" || options.timeoutMs !== undefined;
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
