import type { CallStep, PlainOptions, Scenario, Step } from "./scenario.js";

/** Makes a scenario smaller; `null` if there is nothing left to change. */
export type Edit = (scenario: Scenario) => Scenario | null;

/** Returns what can be left out of a scenario besides steps and faults. The last subjects and pages come first, as numbers shift. */
export function editsOf({ subjects, steps, pages }: Scenario): Edit[] {
  const subjectsFromLast = subjects.map((_, index) => index).toReversed();
  return [
    ...Array.from(
      { length: pages },
      (_, page): Edit =>
        (scenario) =>
          withoutPage(scenario, page),
    ).toReversed(),
    ...subjectsFromLast.map(
      (index): Edit =>
        (scenario) =>
          withoutSubject(scenario, index),
    ),
    ...subjectsFromLast.flatMap((index) => editsOfSubject(subjects[index]!.options, index)),
    ...steps.flatMap((step) => ("items" in step ? editsOfCall(step) : [])),
    ({ isIsolated, ...scenario }) => (isIsolated === undefined ? null : scenario),
    (scenario) => ({ ...scenario, baseMs: 1, rowMs: 0.01 }),
  ];
}

function editsOfSubject(options: PlainOptions, index: number): Edit[] {
  return Object.keys(options).map(
    (name): Edit =>
      (scenario) =>
        withoutOption(scenario, index, name),
  );
}

function editsOfCall({ do: kind, call, items, options }: CallStep): Edit[] {
  const ofOptions = Object.keys(options).map(
    (name): Edit =>
      (scenario) =>
        editCall(scenario, call, (step) => ({ ...step, options: without(step.options, name) })),
  );
  const drops = items.map(
    (item): Edit =>
      (scenario) =>
        editCall(scenario, call, (step) => withoutItem(step, item.id)),
  );
  const plain: Edit = (scenario) => editCall(scenario, call, withOneItem);
  return kind === "predict" ? ofOptions : [...ofOptions, ...drops, plain];
}

function withOneItem(step: CallStep): CallStep {
  return step.items.length === 1 ? { ...step, do: "predict" } : step;
}

/** A prediction keeps its only item. */
function withoutItem(step: CallStep, id: number): CallStep {
  return step.do === "predict" ? step : { ...step, items: step.items.filter((item) => item.id !== id) };
}

/** Leaves out a page, with what happens on it. Nothing is left of a scenario with one page. */
function withoutPage(scenario: Scenario, page: number): Scenario | null {
  if (scenario.pages <= 1 || page >= scenario.pages) return null;
  const gone = scenario.subjects.flatMap((subject, index) => (subject.page === page ? [index] : []));
  const rest = gone.toReversed().reduce((kept, index) => withoutSubject(kept, index) ?? kept, scenario);
  // The last subject is never left out.
  if (rest.subjects.some((subject) => subject.page === page)) return null;
  const shifted = <T extends { readonly page: number }>(one: T): T =>
    one.page > page ? { ...one, page: one.page - 1 } : one;
  const steps = rest.steps
    .filter((step) => !("page" in step) || step.page !== page)
    .map((step) => ("page" in step ? shifted(step) : step));
  return { ...rest, pages: rest.pages - 1, subjects: rest.subjects.map(shifted), steps };
}

function withoutSubject(scenario: Scenario, index: number): Scenario | null {
  if (scenario.subjects.length <= 1 || index >= scenario.subjects.length) return null;
  const calls = scenario.steps.flatMap((step) => ("items" in step && step.subject === index ? [step.call] : []));
  const isOf = (step: Step) =>
    ("subject" in step && step.subject === index) || ("call" in step && calls.includes(step.call));
  const steps = scenario.steps
    .filter((step) => !isOf(step))
    .map((step) => ("subject" in step && step.subject > index ? { ...step, subject: step.subject - 1 } : step));
  return { ...scenario, subjects: scenario.subjects.toSpliced(index, 1), steps };
}

function withoutOption(scenario: Scenario, index: number, name: string): Scenario | null {
  const subject = scenario.subjects[index];
  if (subject === undefined || !(name in subject.options)) return null;
  // Without padding, this model rejects most lengths, and rightly so.
  if (name === "padding" && "model" in subject && subject.model === "thirds") return null;
  return {
    ...scenario,
    subjects: scenario.subjects.with(index, { ...subject, options: without(subject.options, name) }),
  };
}

function editCall(scenario: Scenario, call: number, change: (step: CallStep) => CallStep): Scenario | null {
  if (!scenario.steps.some((step) => "items" in step && step.call === call)) return null;
  return {
    ...scenario,
    steps: scenario.steps.map((step) => ("items" in step && step.call === call ? change(step) : step)),
  };
}

function without(record: object, name: string): PlainOptions {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}
