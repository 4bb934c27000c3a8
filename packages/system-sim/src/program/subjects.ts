import type { Page } from "../browser/page.js";
import { answer, ITEM_LENGTH, poisonElement } from "../runtime/models.js";
import type { FunctionRuns } from "./function-runs.js";
import type { CallOptions, ItemSpec, Subject } from "./scenario.js";

/** The signal and the options of a call. */
export type Terms = CallOptions & { readonly signal: AbortSignal };

/** What is called, once it is open: the same calls for a model and a function. */
export interface Callable {
  predict(item: ItemSpec, terms: Terms): Promise<unknown>;
  many(items: readonly ItemSpec[], terms: Terms): Promise<readonly unknown[]>;
  stream(items: readonly ItemSpec[], terms: Terms): AsyncIterable<unknown>;
  flush(): void;
  restart(): Promise<void>;
  dispose(): Promise<void> | void;
  stats(): unknown;
  readonly state: string;
}

/** Address of the file of a model. */
export const modelUrl = (name: string) => `https://app.example/models/${name}.onnx`;

/** Opens a subject on its page, within a task of the page. */
export async function openSubject(
  subject: Subject,
  page: Page,
  runs: FunctionRuns,
  onState: (state: string) => void,
): Promise<Callable> {
  if (subject.kind === "function") return openFunction(page, subject.options, runs);
  const model = await page.framebatch.createBatchedModel(modelUrl(subject.model), subject.options);
  model.addEventListener("statechange", ({ detail }) => onState(detail.state));
  return {
    predict: (item, terms) => model.predict({ x: elementsOf(item) }, terms),
    many: (items, terms) =>
      model.predictMany(
        items.map((item) => ({ x: elementsOf(item) })),
        terms,
      ),
    stream: (items, terms) =>
      model.predictStream(
        items.map((item) => ({ x: elementsOf(item) })),
        terms,
      ),
    flush: () => model.flush(),
    restart: () => model.restart(),
    dispose: () => model.dispose(),
    stats: () => model.stats(),
    get state() {
      return model.state;
    },
  };
}

async function openFunction(page: Page, options: object, runs: FunctionRuns): Promise<Callable> {
  const call = page.framebatch.batched((items: readonly ItemSpec[]) => runs.run(items), options);
  return {
    predict: (item, terms) => call(item, plain(terms)),
    many: (items, terms) => call.many(items, plain(terms)),
    stream: async function* (items, terms) {
      yield* await call.many(items, plain(terms));
    },
    flush: () => call.flush(),
    restart: () => Promise.resolve(),
    dispose: () => call.dispose(),
    stats: () => call.stats(),
    state: "ready",
  };
}

/** A function has no tensors to transfer. */
function plain({ transfer, ...terms }: Terms): Omit<Terms, "transfer"> {
  void transfer;
  return terms;
}

/** Returns the tensor of an item: its number, and a quarter more for each element. */
export function elementsOf({ id, poison }: ItemSpec): Float32Array {
  const first = poison === undefined ? id : poisonElement(poison, id);
  return Float32Array.from({ length: ITEM_LENGTH }, (_, index) => (index === 0 ? first : id + index / 4));
}

/** Returns the right answer for an item. */
export function expectedOf(item: ItemSpec, version: number): number[] {
  return Array.from(elementsOf(item), (x) => answer(x, version));
}

/** Returns the numbers in an answer; `null` if it has another form. */
export function numbersIn(value: unknown): number[] | null {
  if (typeof value === "object" && value !== null && "y" in value) {
    const { y } = value;
    if (typeof y === "object" && y !== null && "data" in y && y.data instanceof Float32Array) return Array.from(y.data);
  }
  return Array.isArray(value) ? value.map(Number) : null;
}
