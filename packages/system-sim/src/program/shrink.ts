import type { Fault, PlainOptions, Scenario, Step } from "./scenario.js";

/** Whether a scenario still breaks the same rule. */
export type Fails = (scenario: Scenario) => Promise<boolean>;

/** Maximum number of scenarios to try. */
const MAX_TRIALS = 400;

/** Returns a scenario that still fails, with as few steps, faults and options as can be found by removing some at a time. */
export async function shrink(scenario: Scenario, fails: Fails): Promise<Scenario> {
  let trials = 0;
  const tryOne: Fails = async (smaller) => (trials += 1) <= MAX_TRIALS && fails(smaller);
  let best = scenario;
  for (;;) {
    const before = JSON.stringify(best);
    best = await shrinkList(best, (one) => one.steps, withSteps, tryOne);
    best = await shrinkList(best, (one) => one.faults, withFaults, tryOne);
    best = await shrinkEach(best, tryOne);
    if (JSON.stringify(best) === before) return best;
  }
}

const withSteps = (scenario: Scenario, steps: readonly Step[]): Scenario => ({ ...scenario, steps });
const withFaults = (scenario: Scenario, faults: readonly Fault[]): Scenario => ({ ...scenario, faults });

/** Removes halves, quarters and so on, down to single members. */
async function shrinkList<T>(
  scenario: Scenario,
  read: (scenario: Scenario) => readonly T[],
  write: (scenario: Scenario, list: readonly T[]) => Scenario,
  fails: Fails,
): Promise<Scenario> {
  let best = scenario;
  for (let size = Math.ceil(read(best).length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < read(best).length;) {
      const list = read(best);
      const smaller = write(best, [...list.slice(0, from), ...list.slice(from + size)]);
      if (await fails(smaller)) best = smaller;
      else from += size;
    }
  }
  return best;
}

/** Removes the options of subjects and calls, and items of lists, one by one. */
async function shrinkEach(scenario: Scenario, fails: Fails): Promise<Scenario> {
  let best = scenario;
  for (const edit of editsOf(scenario)) {
    const smaller = edit(best);
    if (smaller !== null && (await fails(smaller))) best = smaller;
  }
  return best;
}

type Edit = (scenario: Scenario) => Scenario | null;

function editsOf({ subjects, steps }: Scenario): Edit[] {
  const ofSubjects = subjects.flatMap(({ options }, index) =>
    Object.keys(options).map(
      (name): Edit =>
        (scenario) =>
          withoutOption(scenario, index, name),
    ),
  );
  const ofSteps = steps.flatMap((step): Edit[] => {
    if (!("items" in step)) return [];
    const names = Object.keys(step.options);
    const options = names.map(
      (name): Edit =>
        (scenario) =>
          editCall(scenario, step.call, { options: without(step.options, name) }),
    );
    const items = step.items.map(
      (_, at): Edit =>
        (scenario) =>
          dropItem(scenario, step.call, at),
    );
    return step.do === "predict" ? options : [...options, ...items.reverse()];
  });
  return [...ofSubjects, ...ofSteps];
}

function withoutOption(scenario: Scenario, index: number, name: string): Scenario {
  const subjects = scenario.subjects.map((subject, at) =>
    at === index ? { ...subject, options: without(subject.options, name) } : subject,
  );
  return { ...scenario, subjects };
}

function dropItem(scenario: Scenario, call: number, at: number): Scenario | null {
  const step = scenario.steps.find((found) => "items" in found && found.call === call);
  if (step === undefined || !("items" in step)) return null;
  return editCall(scenario, call, { items: step.items.filter((_, index) => index !== at) });
}

function editCall(scenario: Scenario, call: number, change: object): Scenario {
  const steps = scenario.steps.map((step) => ("items" in step && step.call === call ? { ...step, ...change } : step));
  return { ...scenario, steps };
}

function without(record: object, name: string): PlainOptions {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
