import type { BatchedModel } from "../../../../packages/framebatch/src/client/options/model.js";
import type { Page } from "../browser/page.js";
import { firstState } from "../runtime/recurrent.js";
import { MODELS, type RecurrentName } from "../runtime/models.js";
import { type Callable, callableOf, modelUrl, type Terms } from "./callable.js";
import { callableOfItems, workerAt } from "./handled.js";
import { elementsOf } from "./items.js";
import { REMEMBERING_WORKER } from "./remembering.js";
import type { SequencesSubject, SequenceSpec } from "../scenario/kinds.js";
import type { StateChange } from "./open-other.js";
import type { ItemSpec, PlainOptions } from "../scenario/scenario.js";
import { SequenceLog } from "../logs/sequence-log.js";

/** Returns the options of a model with states. */
export function recurrentOptions(name: RecurrentName, options: PlainOptions): PlainOptions {
  const states = MODELS[name].states ?? [];
  return { ...options, recurrent: Object.fromEntries(states.map(({ input, output }) => [input, output])) };
}

/** Opens a model and its sequences. */
export async function openSequences(
  subject: SequencesSubject,
  page: Page,
  onState: (change: StateChange) => void,
): Promise<Callable> {
  const { model: name, options, sequences } = subject;
  if (subject.isRemembered === true) return openRemembered(subject, page, onState);
  const model = await page.framebatch.createBatchedModel(modelUrl(name), recurrentOptions(name, options));
  model.addEventListener("statechange", onState);
  const parts = sequences.map((spec) => sequenceOf(model, name, spec, page));
  return Object.assign(callableOf(model), { parts });
}

/** Opens a model whose handlers remember what the states of another one are. */
async function openRemembered(
  { options, sequences }: SequencesSubject,
  page: Page,
  onState: (change: StateChange) => void,
): Promise<Callable> {
  const handled = { ...options, worker: workerAt(page, REMEMBERING_WORKER) };
  const model = await page.framebatch.createBatchedModel<unknown, unknown>(modelUrl("affine"), handled);
  model.addEventListener("statechange", onState);
  return Object.assign(callableOfItems(model), {
    parts: sequences.map((spec) => rememberedSequence(model, spec, page)),
  });
}

/** Starts a sequence of a model whose handlers remember what the state of `rnn` is. */
export function rememberedSequence(model: object, spec: SequenceSpec, page: Page): Callable {
  const own = sequenceOf(Object(model), "rnn", spec, page, (item) => ({ ...item }));
  // What handlers remember has no snapshot.
  return { ...own, flush: () => undefined };
}

/** Starts a sequence: its calls are steps, a restart is a reset, and a flush a snapshot. */
export function sequenceOf(
  model: BatchedModel,
  name: RecurrentName,
  spec: SequenceSpec,
  page: Page,
  made: (item: ItemSpec) => object = (item) => ({ x: elementsOf(item) }),
): Callable {
  const { initial, ...options } = spec;
  const started = initial === undefined ? options : { ...options, initial: statesOf(name, initial) };
  const sequence = model.sequence(started);
  const log = new SequenceLog(name, spec);
  page.origin.witness.sequences.push(log);
  const { give, read } = givenItems(made);
  const step = (given: unknown) => void log.turns.push({ do: "step", item: read(given) });
  return {
    give,
    predict: (given, terms) => {
      step(given);
      return sequence.predict(Object(given), plain(terms));
    },
    many: () => Promise.reject(new TypeError("a sequence takes no lists")),
    stream: (given, terms) => sequence.predictStream(Object(pulled(Object(given), step)), plain(terms)),
    restart: async () => {
      log.turns.push({ do: "reset" });
      sequence.reset();
    },
    flush: () => {
      const turn: SequenceLog["turns"][number] & { do: "snapshot" } = { do: "snapshot", outcome: null };
      log.turns.push(turn);
      sequence.snapshot().then(
        (value) => (turn.outcome = { value }),
        (error: unknown) => (turn.outcome = { error }),
      );
    },
    dispose: () => sequence.dispose(),
    stats: () => null,
    state: "ready",
  };
}

/** Gives items out, and knows them again. */
function givenItems(made: (item: ItemSpec) => object): {
  readonly give: Callable["give"];
  readonly read: (given: unknown) => ItemSpec;
} {
  const known = new WeakMap<object, ItemSpec>();
  const give = (item: ItemSpec) => {
    const given = made(item);
    known.set(given, item);
    return given;
  };
  return { give, read: (given) => known.get(Object(given))! };
}

/** Tells of each item when it is pulled. */
function pulled(source: object, tell: (given: unknown) => void): Iterable<object> {
  if (Symbol.asyncIterator in source) return Object(pulledLater(Object(source), tell));
  return pulledNow(Object(source), tell);
}

function* pulledNow(source: Iterable<object>, tell: (given: unknown) => void): Iterable<object> {
  for (const given of source) {
    tell(given);
    yield given;
  }
}

async function* pulledLater(source: AsyncIterable<object>, tell: (given: unknown) => void): AsyncIterable<object> {
  for await (const given of source) {
    tell(given);
    yield given;
  }
}

/** A step has no memory to give away. */
function plain({ transfer, ...terms }: Terms): Omit<Terms, "transfer" | "key"> {
  void transfer;
  return terms;
}

function statesOf(name: RecurrentName, seed: number): Record<string, Float32Array> {
  const states = MODELS[name].states ?? [];
  const first = firstState(name, seed);
  return Object.fromEntries(states.map(({ input }, index) => [input, Float32Array.from(first[index]!)]));
}
