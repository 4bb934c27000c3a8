import type { KeptItem } from "../../../../packages/framebatch/src/kept/kept-item.js";
import type { Item } from "../../../../packages/framebatch/src/client/options/model.js";
import { elementsOf } from "./items.js";
import type { CallOptions, ItemSpec } from "../scenario/scenario.js";

/** The signal and the options of a call. */
export type Terms = CallOptions & { readonly signal: AbortSignal };

/** What is called, once it is open: the same calls for a model and a function. */
export interface Callable {
  /** Returns an item as it is given: alone, in a list or in a source, which may be anything. */
  give(item: ItemSpec): unknown;
  /** Changes an item after the call, if the call has copied it. */
  spoil?(given: unknown): void;
  predict(given: unknown, terms: Terms): Promise<unknown>;
  many(given: Iterable<unknown>, terms: Terms): Promise<readonly unknown[]>;
  stream(given: Iterable<unknown>, terms: Terms): AsyncIterable<unknown>;
  flush(): void;
  restart(): Promise<void>;
  dispose(): Promise<void> | void;
  stats(): unknown;
  readonly state: string;
  /** Where its next run is computed; not for what has no provider of its own. */
  readonly provider?: string | null | undefined;
  /** Predicts what a text is given, of an encoder. */
  readonly keep?: (item: ItemSpec) => KeptItem;
  /** What it consists of; `null` for what has not opened. */
  readonly parts?: readonly (Callable | null)[];
}

/** Address of the file of a model. */
export const modelUrl = (name: string) => `https://app.example/models/${name}.onnx`;

/** What all models have. An untyped caller may give them anything. */
export interface AnyModel {
  predict(given: Item, terms: Terms): Promise<unknown>;
  predictMany(given: Iterable<Item>, terms: Terms): Promise<readonly unknown[]>;
  predictStream(given: Iterable<Item>, terms: Terms): AsyncIterable<unknown>;
  flush(): void;
  restart(): Promise<void>;
  dispose(): Promise<void>;
  stats(): unknown;
  readonly state: string;
  readonly executionProvider?: string | null;
}

/** Returns the calls of a model. */
export function callableOf(
  model: AnyModel,
  give: Callable["give"] = (item) => ({ x: elementsOf(item) }),
  spoil: NonNullable<Callable["spoil"]> = spoilTensor,
): Callable {
  return {
    give,
    spoil,
    predict: (given, terms) => model.predict(Object(given), terms),
    many: (given, terms) => model.predictMany(Object(given), terms),
    stream: (given, terms) => model.predictStream(Object(given), terms),
    flush: () => model.flush(),
    restart: () => model.restart(),
    dispose: () => model.dispose(),
    stats: () => model.stats(),
    get state() {
      return model.state;
    },
    get provider() {
      return model.executionProvider;
    },
  };
}

function spoilTensor(given: unknown): void {
  const x: unknown = Reflect.get(Object(given), "x");
  if (x instanceof Float32Array && x.length > 0) x.fill(-7);
}
