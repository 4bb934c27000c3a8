import type { Dice } from "./dice.js";
import type { SourceKind } from "../scenario/source-kinds.js";
import type { ServerFault, ServerSpec, StepSpec } from "../scenario/kinds.js";
import type { ModelName } from "../runtime/models.js";
import type { CallStep, Fault, PlainOptions, Scenario, Step, Subject } from "../scenario/scenario.js";
import { drawLinked } from "./draw-links.js";
import { FIRST_SAMPLE } from "../actors/engines.js";

/** Times of calls. The last one is longer than a scenario, so that a timer that outlives its call is seen. */
export const TIMEOUTS_MS = [5, 20, 50, 500, 1e8] as const;

/** Number of lengths of items that are padded. */
const MOST_LENGTHS = 15;

/** How items of different lengths are padded, if the model has such: to the longest, to a multiple, or to a bucket. */
export const PADDINGS: readonly PlainOptions[] = [{}, { multipleOf: 3 }, { buckets: [6, 20] }];

const SERVER_FAULTS: readonly ServerFault[] = [
  ...(["400", "404", "429", "500", "503", "cut", "silent", "late", "page", "text"] as const),
  ...(["rows", "names", "deep", "short"] as const),
];

const SOURCES_OF_PARTS: readonly SourceKind[] = [
  ...(["generator", "slow", "throwing-return", "hanging-return", "leaving"] as const),
  ...(["throws", "nothing-next", "throwing-value"] as const),
];

/**
 * Items of the model whose rows may have any length are so large that they move to workers, and half of their callers give them
 * away; or they differ in length, and are padded.
 */
export function withSizedItems(subjects: readonly Subject[], steps: readonly Step[]): Step[] {
  const has = (text: string, { subject }: CallStep) => JSON.stringify(subjects[subject]).includes(text);
  const vary = ({ items, ...step }: CallStep) => ({
    ...step,
    items: items.map((item) => ({ ...item, length: 2 + ((item.id * 7) % MOST_LENGTHS) })),
  });
  const enlarge = ({ items, options, ...step }: CallStep) => ({
    ...step,
    items: items.map((item) => ({ ...item, isLarge: true })),
    options: { ...options, ...(step.call % 2 === 0 && { transfer: true }) },
  });
  return steps.map((step) => {
    if (!("items" in step) || !(has('"ragged"', step) || has('"thirds"', step))) return step;
    return has('"padding"', step) ? vary(step) : enlarge(step);
  });
}

/** Draws a server. */
export function drawServer(dice: Dice): ServerSpec {
  const fault = () => {
    const nth = dice.below(6);
    return { nth, until: nth + dice.pick([0, 0, 2, 50]), does: dice.pick(SERVER_FAULTS) };
  };
  return {
    isBinary: dice.chance(0.5),
    delayMs: dice.pick([0.5, 5, 30, 150]),
    batch: dice.chance(0.04) ? dice.pick(["endless", "deep"]) : "dynamic",
    faults: dice.chance(0.6) ? dice.list(1, 2, fault) : [],
  };
}

/** What the steps of a pipeline are drawn from. */
interface StepTerms {
  readonly batching: () => PlainOptions;
  /** @default functions, models and pipelines */
  readonly kinds?: readonly StepSpec["do"][];
  /** The most parts of an item. @default 4, as of each part */
  readonly mostParts?: number;
}

const STEP_KINDS = ["call", "call", "batch", "batch", "model", "linked", "nest", "nest", "split", "split"] as const;

/** Draws the steps of a pipeline. @param depth how often they may be in each other */
export function drawSteps(dice: Dice, depth: number, terms: StepTerms): StepSpec[] {
  return dice.list(1, 3, () => drawStep(dice, depth, terms));
}

function drawStep(dice: Dice, depth: number, terms: StepTerms): StepSpec {
  const { batching, kinds = STEP_KINDS, mostParts = 4 } = terms;
  const kind = depth > 0 ? dice.pick(kinds) : dice.pick(["call", "batch"] as const);
  const ms = dice.pick([0, 0, 2, 20]);
  switch (kind) {
    case "call":
      return { do: kind, ms };
    case "batch":
      return { do: kind, ms, options: batching(), ...(dice.chance(0.3) && { rivals: dice.pick([1, 2, 4]) }) };
    case "model": {
      const options = { ...batching(), executionProviders: ["wasm"], cache: false, verify: false };
      return { do: kind, options, transfer: dice.chance(0.4) };
    }
    case "linked":
      return drawLinked(dice);
    case "nest":
      return { do: kind, steps: drawSteps(dice, depth - 1, { batching, kinds }) };
    case "split": {
      const source = dice.chance(0.5) ? "list" : dice.pick(SOURCES_OF_PARTS);
      const steps = drawSteps(dice, depth - 1, { batching, kinds });
      return { do: kind, parts: dice.below(mostParts + 1), source, steps, ...(dice.chance(0.3) && { collectMs: 5 }) };
    }
  }
}

const SAMPLES = [0, 1, 2].map((more) => ({ id: FIRST_SAMPLE + more }));

/** Draws how often equal items run, because only engines share what is no tensor, and whether the engine is checked. */
export function drawForEngine(dice: Dice): PlainOptions {
  return {
    ...(dice.chance(0.5) && { dedupe: true }),
    ...(dice.chance(0.4) && { resultCacheSize: dice.pick([1, 4]) }),
    ...(dice.chance(0.3) && { samples: SAMPLES, verify: dice.chance(0.7) }),
  };
}

/** Lists are read at once, so that their sources are. */
export const SOURCES_OF_LISTS: readonly SourceKind[] = [
  "generator",
  "nothing-next",
  "throwing-value",
  "throwing-return",
  "not-iterable",
];

/** As many samples as the others, which show nothing of rows that mix. */
const QUIET = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
const TELLING = Array.from({ length: 4 }, (_, row) => [row + 1, 2 * row, 7 - row, 3]);

/** Two models, one after the other, with the cache: what was learned of the first one must hold for the second if it is the same. */
export function drawAgain(
  dice: Dice,
  drawCall: (atMs: number) => CallStep,
): Pick<Scenario, "subjects" | "steps" | "faults"> {
  const again = dice.pick(["affine", "mixing", "mixing4", "mixing4", "counting", "single", "misread"]);
  const first = dice.chance(0.3) ? "affine" : again;
  const make = (model: ModelName, samples: PlainOptions): Subject => ({
    kind: "model",
    page: 0,
    model,
    options: {
      executionProviders: ["wasm"],
      cache: true,
      ...(dice.chance(0.6) && { maxBatchSize: dice.pick([1, 2, 8]) }),
      ...(dice.chance(0.3) && { batching: { release: "window" } }),
      ...samples,
    },
  });
  const isSampled = dice.chance(0.4);
  // Nobody asks the first one, so that its samples need not show anything.
  const subjects = [
    make(first, isSampled ? { samples: QUIET } : {}),
    make(again, isSampled ? { samples: TELLING } : {}),
  ];
  const asked = dice.list(2, 8, () => drawCall(6000 + dice.below(20)));
  const calls = asked.map((call) => ({ ...call, items: call.items.map(({ id }) => ({ id })), options: {} }));
  const opens: Step[] = [
    { atMs: 0, do: "open", subject: 0 },
    // A worker that has just loaded the model may still be storing it.
    { atMs: dice.pick([4000, 4000, dice.below(30)]), do: "dispose", subject: 0 },
    { atMs: 4500, do: "open", subject: 1 },
  ];
  const closing: Fault = { on: "time", atMs: dice.below(15), does: "close store" };
  return { subjects, steps: [...opens, ...calls], faults: dice.chance(0.2) ? [closing] : [] };
}
