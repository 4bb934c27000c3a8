import type { Realm } from "../kernel/realm.js";
import type { Witness } from "../logs/witness.js";
import { isFailingSource, type SourceKind } from "../scenario/source-kinds.js";

/** What a source throws. */
export class SourceError extends Error {}

/** Kinds whose `next` returns a promise. */
const ASYNC: readonly SourceKind[] = ["slow", "throws", "hanging-return"];

/** What a source works with. */
interface Surroundings {
  readonly realm: Realm;
  readonly witness: Witness;
  /** Aborts the call that reads the source. */
  readonly leave: () => void;
  /** Whether that call has ended. */
  readonly isOver: () => boolean;
}

/** Returns items as a source of a kind. A reader that leaves it before its end must close it. */
export function sourceOf<T>(
  kind: SourceKind,
  items: readonly T[],
  name: string,
  { realm, witness, leave, isOver: hasReaderLeft }: Surroundings,
): Iterable<T> {
  if (kind === "list") return items;
  // An untyped caller may pass anything.
  if (kind === "not-iterable") return Object(42);
  const isAsync = ASYNC.includes(kind);
  let [at, isOver, isExhausted, isLeaving] = [0, false, false, false];
  const end = () => {
    isOver = true;
    return { done: true as const, value: undefined };
  };
  const step = (): unknown => {
    // It has another item to give, so that its reader closes it.
    if (kind === "leaving" && at === items.length - 1) {
      isLeaving = true;
      leave();
      isLeaving = false;
    }
    if (at < items.length) return { done: false, value: items[at++] };
    isExhausted = true;
    if (isFailingSource(kind)) isOver = true;
    if (kind === "throws") throw new SourceError(`source ${name}`);
    if (kind === "nothing-next") return undefined;
    if (kind === "throwing-value") return throwingValue(name);
    return end();
  };
  const later = async () => {
    const { world } = realm;
    await new Promise<void>((resolve) => void world.reply(realm, world.latency(2), `source ${name}`, resolve));
    return step();
  };
  const close = (): unknown => {
    if (isLeaving) witness.broken("sources", `source ${name} was closed inside its own next`);
    if (isExhausted) witness.broken("sources", `source ${name} was closed although it had ended`);
    isOver = true;
    if (kind === "throwing-return") throw new SourceError(`return of source ${name}`);
    return kind === "hanging-return" ? new Promise(() => undefined) : end();
  };
  const next = () => {
    if (hasReaderLeft()) witness.broken("sources", `source ${name} was read on after its call had ended`);
    return isAsync ? later() : step();
  };
  const iterator = { next, return: close };
  const open = () => {
    witness.opens(`source ${name}`, () => isOver);
    return iterator;
  };
  return Object({ [isAsync ? Symbol.asyncIterator : Symbol.iterator]: open });
}

function throwingValue(name: string): object {
  return Object.defineProperty({ done: false }, "value", {
    get(): never {
      throw new SourceError(`value of source ${name}`);
    },
  });
}

/** Returns a promise of another library, which calls back twice. */
export function twice<T>(value: T): PromiseLike<T> {
  const callBack = (use: (value: T) => unknown) => {
    use(value);
    use(value);
  };
  return withMethod("then", callBack);
}

/** Returns an object with one method, whatever else it is taken for. */
function withMethod(name: string, value: unknown) {
  return Object.defineProperty(Object.create(null), name, { value });
}
