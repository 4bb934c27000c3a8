import type { Random } from "../batcher/model/random.js";
import type { PipelineWitness } from "./pipeline-witness.js";
import { holds } from "./violation.js";

/** What a source does in place of closing. */
const ENDS = [
  () => ({}),
  () => undefined,
  () => new Promise<never>(() => {}),
  () => Promise.reject(new RangeError("return() rejects")),
  (): never => {
    throw new RangeError("return() throws");
  },
];

/** How a source gives its results: at once or later, and once or more often. */
const WAYS = [
  (result: object) => result,
  (result: object) => Promise.resolve(result),
  async (result: object) => {
    await Promise.resolve();
    return result;
  },
  (result: object) => eager(result),
];

/** A promise of another library, which settles more than once, before its `then` returns. */
function eager(result: object): object {
  const then = (resolve: (value: object) => void, reject: (error: unknown) => void) => {
    resolve(result);
    resolve({});
    reject(new RangeError("settled again"));
  };
  return withMethod("then", then);
}

function withMethod(name: string, method: (...args: never) => void): object {
  return Object.defineProperty({}, name, { value: method });
}

/** A source that ends as its last item says. */
interface HostileParts<Item> {
  readonly items: Iterable<Item>;
  readonly witness: PipelineWitness;
  readonly random: Random;
  /** Called with 1 when the source is opened, and with -1 when it has ended, failed or been closed. */
  readonly count: (change: 1 | -1) => void;
}

/**
 * A source with an iterator of its own, which closes badly.
 * @throws in its `next` what `items` throws
 */
export function hostileSource<Item>({ items, witness, random, count }: HostileParts<Item>): AsyncIterable<Item> {
  const [way, end] = [oneOf(random, WAYS), oneOf(random, ENDS)];
  let [isOver, isInNext, isClosed] = [false, false, false];
  const ended = () => {
    if (!isOver) count(-1);
    isOver = true;
  };
  const open = () => {
    const source = items[Symbol.iterator]();
    count(1);
    const next = () => {
      witness.check(() => holds(!isOver && !isInNext, "P-12", () => "a source was asked after its end"));
      isInNext = true;
      try {
        const result = source.next();
        if (result.done) ended();
        return way(result.done ? { done: true } : { value: result.value });
      } catch (error) {
        ended();
        throw error;
      } finally {
        isInNext = false;
      }
    };
    const close = () => {
      // An end on its way is not known yet.
      const isKnownOver = isOver && way === WAYS[0];
      witness.check(() =>
        holds(!isClosed && !isKnownOver, "P-12", () => "a source was closed twice, or after its end"),
      );
      isClosed = true;
      witness.check(() => holds(!isInNext, "P-12", () => "a source was closed inside its own next"));
      ended();
      return end();
    };
    return Object.assign({}, { next, return: close });
  };
  // Untyped, because no type describes what it does.
  return Object.assign({ [Symbol.asyncIterator]: () => Object.assign(Object(open())) });
}

function oneOf<Value>(random: Random, values: readonly [Value, ...Value[]] | readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)] ?? values[0];
  if (value === undefined) throw new RangeError("expected a value, got an empty list");
  return value;
}
