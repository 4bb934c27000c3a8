import type { SourceKind } from "../scenario/source-kinds.js";
import type { CallOptions, ItemSpec } from "../scenario/scenario.js";

/** What came of a call or of one item of a stream. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** What a call of a function met. */
export interface Met {
  /** Items of calls that had not settled, of at least the same priority. */
  readonly ahead: number;
  /** Runs in progress. */
  readonly running: number;
  /** The longest run so far, in milliseconds; 0 if none has ended. */
  readonly longestMs: number;
}

/** What the ledger knows of one call. */
export interface Entry {
  readonly call: number;
  readonly kind: "predict" | "many" | "stream";
  readonly subject: number;
  /** The part of the subject that was called; `null` for the subject itself. */
  readonly part: number | null;
  readonly items: readonly ItemSpec[];
  readonly options: CallOptions;
  readonly source: SourceKind;
  /** Number of results after which the reader of a stream leaves. */
  readonly take: number;
  readonly askedAtMs: number;
  /** The number of the task in which it was asked. */
  readonly askedInTask: number;
  /** What it met when it was asked. */
  readonly met: Met;
  /** The providers of its model when it was asked and when it settled. */
  readonly providers: (string | null | undefined)[];
  /** The reason that its signal aborts with. */
  readonly reason: object;
  abortedAtMs: number | null;
  settledAtMs: number | null;
  /** Since when its function had no run in progress when it settled, in milliseconds; `Infinity` if it had one. */
  freeSinceMs: number;
  /** How often it settled. */
  settlements: number;
  outcome: Outcome | null;
  /** Results of a stream, in the order in which they came. */
  readonly received: unknown[];
}

/** The calls of a scenario, by number. */
export class Ledger {
  readonly entries = new Map<number, Entry>();
  /** Calls that have not settled, for each subject. */
  readonly open = new Map<number, Set<Entry>>();

  begin(entry: Entry): void {
    this.entries.set(entry.call, entry);
    const open = this.open.get(entry.subject) ?? new Set();
    open.add(entry);
    this.open.set(entry.subject, open);
  }

  settle(entry: Entry, outcome: Outcome, nowMs: number): void {
    entry.settlements += 1;
    entry.outcome = outcome;
    entry.settledAtMs = nowMs;
    this.open.get(entry.subject)?.delete(entry);
  }

  /** Returns how many calls there were, and what came of them. */
  summary(): { readonly calls: number; readonly answered: number; readonly codes: Record<string, number> } {
    const codes: Record<string, number> = {};
    let answered = 0;
    for (const { outcome } of this.entries.values()) {
      if (outcome !== null && "value" in outcome) answered += 1;
      else if (outcome !== null) codes[nameOf(outcome.error)] = (codes[nameOf(outcome.error)] ?? 0) + 1;
    }
    return { calls: this.entries.size, answered, codes };
  }
}

function nameOf(error: unknown): string {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : null;
  return typeof code === "string" ? code : "other";
}
