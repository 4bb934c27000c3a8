import type { Violation } from "./violation.js";
import type { Realm } from "../kernel/realm.js";
import type { Entry } from "./ledger.js";
import type { SequenceLog } from "./sequence-log.js";
import type { TextLog } from "./text-log.js";

/** A call as the code that works on its items sees it. */
export interface Asker {
  readonly kind: Entry["kind"];
  /** Whether it has settled, or has been aborted. */
  isOver(): boolean;
  /** When it was aborted or settled; `Infinity` if it is open. */
  overAtMs(): number;
  /** Whether it has ended without an answer, or has been aborted. */
  hasLeft(): boolean;
  readonly priority: string | undefined;
  /** When its time is over; `Infinity` if it has no limit, or one for each of its items. */
  readonly dueMs: number;
  abort(): void;
  /** Disposes of what it asked. */
  dispose(): void;
}

/** By so much a stage may have more time than its call, in milliseconds. */
const ROUNDING_MS = 1;

/** The options that a stage gets. */
interface Options {
  readonly signal: AbortSignal;
  readonly priority?: string;
  readonly timeoutMs?: number;
}

/** A function of the caller that works on an item, and the signal that it got. */
interface Work {
  readonly what: string;
  readonly asker: Asker;
  readonly signal: AbortSignal;
}

/**
 * What code of the caller and servers have seen and done in a scenario: stages, sources, handlers and a server write here what
 * happens to each item, because only they know; rules read what may come of it.
 */
export class Witness {
  /** Promises that were broken where only such code could see it. */
  readonly violations: Violation[] = [];
  readonly #excuses = new Map<number, unknown[]>();
  readonly #askers = new Map<number, Asker>();
  readonly #times = new Map<number, number>();
  readonly #working = new Set<Work>();
  readonly #open = new Set<{ readonly what: string; readonly isOver: () => boolean }>();
  /** Items on which a function works that never ends. */
  readonly hanging = new Set<number>();
  /** Subjects that must not open. */
  readonly refused = new Set<number>();
  /** Groups whose models leave tensors in their worker, and the size of those. */
  readonly keeping: { readonly page: Realm; readonly bytes: () => number }[] = [];
  /** What the sequences of a scenario were asked, in order. */
  readonly sequences: SequenceLog[] = [];
  /** The texts of a scenario, in the order in which they were asked for. */
  readonly texts: TextLog[] = [];
  /** A caller has disposed of the model of a hub, or of a group in a callback. */
  hasDisposed = false;

  broken(rule: string, what: string): void {
    this.violations.push({ rule, what });
  }

  /** Notes an error, or the code of one, that the call of an item may end in. */
  excuse(item: number, error: unknown): void {
    this.#excuses.set(item, [...(this.#excuses.get(item) ?? []), error]);
  }

  /** Returns what the call of an item may end in. */
  excusesOf(item: number): readonly unknown[] {
    return this.#excuses.get(item) ?? [];
  }

  asks(items: readonly { readonly id: number }[], asker: Asker): void {
    for (const { id } of items) {
      this.#askers.set(id, asker);
      this.#times.set(id, (this.#times.get(id) ?? 0) + 1);
    }
  }

  /** Whether one call has asked about an item, once. */
  isAskedOnce(item: number): boolean {
    return this.#times.get(item) === 1;
  }

  /** Returns the call of an item; `null` for an item that nobody asks about. */
  askerOf(item: number): Asker | null {
    return this.#askers.get(item) ?? null;
  }

  /** Notes that a function works on an item. Returns how to say that it has ended. */
  works(what: string, item: number, { signal, priority, timeoutMs }: Options, nowMs: number): () => void {
    const asker = this.askerOf(item);
    if (asker === null) return () => undefined;
    if (asker.priority !== undefined && priority !== asker.priority)
      this.broken("stages", `${what} got the priority ${priority} for item ${item}`);
    if (timeoutMs !== undefined && nowMs + timeoutMs > asker.dueMs + ROUNDING_MS)
      this.broken("stages", `${what} got ${timeoutMs} ms for item ${item}, whose time is over before that`);
    if (asker.isOver()) this.broken("stages", `${what} began with item ${item} after its call had ended`);
    const work = { what: `${what} with item ${item}`, asker, signal };
    this.#working.add(work);
    return () => this.#working.delete(work);
  }

  /** Notes something that must be over when everything has ended. */
  opens(what: string, isOver: () => boolean): void {
    this.#open.add({ what, isOver });
  }

  /** Looks after each task: who works for a call that has ended has been told. */
  look(): void {
    for (const work of this.#working) {
      if (!work.asker.isOver() || work.signal.aborted) continue;
      this.#working.delete(work);
      this.broken("stages", `${work.what}: the call has ended, and the signal has not aborted`);
    }
  }

  /** Looks when everything has ended. */
  lookAtEnd(): void {
    for (const { what, isOver } of this.#open) if (!isOver()) this.broken("sources", `${what} was never closed`);
  }
}
