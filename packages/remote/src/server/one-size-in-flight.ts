import type { Batch, Engine, Outcome, WhenUnwanted } from "@framebatch/batcher/engine/engine.js";
import { growingWaitMs } from "@framebatch/batcher/errors/back-off.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ItemShape } from "@framebatch/batcher/queue/shape.js";
import type { Cancel, Timer } from "@framebatch/host/clock.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";

/**
 * How long a request for which nobody waits any more goes on at least, in milliseconds: the server may have it in a
 * queue, and would join it with a later one of another size.
 */
const LEAVING_MS = 1000;

/** What is known of the engine and of its items. */
export interface OneSizeParts {
  readonly timer: Timer;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Number of batches that the engine answers in parallel. */
  readonly instances: number;
  /** Whether batches can be joined if they have the same size. */
  readonly canJoin: boolean;
}

interface Run<Item, Result> {
  readonly batch: Batch<Item>;
  readonly done: (outcome: Outcome<Result>) => void;
  /** Runs with the same size can be joined; `null` for a run with which none can. */
  size: string | null;
  /** Whether another run was in flight while this one was, so that its failure may be that of the other. */
  hadCompany: boolean;
  /** Whether it runs for the second time. */
  isAgain: boolean;
  /** Whether it is held although the engine would run it at once, so that its time shows nothing. */
  isDelayed: boolean;
  isUnwanted: boolean;
  stop: () => void;
  /** Cancels what is to happen to it later. */
  cancelTimer: Cancel;
}

/**
 * An engine that may join the batches in flight into one run without a look at their sizes, as some servers do. Batches
 * of other sizes would be mixed up, and one bad item would make all fail. So batches of one size only are in flight at
 * a time, in the order in which they come; and a single item that fails runs once more with nothing else in flight,
 * unless it is proved that the failure is its own.
 */
export class OneSizeInFlight<Item extends { readonly shape: ItemShape }, Result> implements Engine<Item, Result> {
  readonly #engine: Engine<Item, Result>;
  readonly #parts: OneSizeParts;
  readonly #inFlight = new Set<Run<Item, Result>>();
  readonly #held: Run<Item, Result>[] = [];

  constructor(engine: Engine<Item, Result>, parts: OneSizeParts) {
    this.#engine = engine;
    this.#parts = parts;
  }

  run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void, whenUnwanted: WhenUnwanted): void {
    const run: Run<Item, Result> = {
      batch,
      done,
      size: this.#parts.canJoin ? sizeOf(batch) : null,
      hadCompany: false,
      isAgain: false,
      isDelayed: this.#inFlight.size + this.#held.length < this.#parts.instances,
      isUnwanted: false,
      stop: () => undefined,
      cancelTimer: () => undefined,
    };
    whenUnwanted(() => this.#leave(run));
    if (this.#held.length === 0 && this.#mayStart(run)) run.isDelayed = false;
    this.#held.push(run);
    this.#startHeld();
  }

  #startHeld(): void {
    for (let [next] = this.#held; next !== undefined && this.#mayStart(next); [next] = this.#held) {
      this.#held.shift();
      this.#start(next);
    }
  }

  #mayStart({ size }: Run<Item, Result>): boolean {
    // Those in flight have one size.
    const [other] = this.#inFlight;
    return other === undefined || (size !== null && size === other.size);
  }

  #start(run: Run<Item, Result>): void {
    run.hadCompany = this.#inFlight.size > 0;
    for (const other of this.#inFlight) other.hadCompany = true;
    this.#inFlight.add(run);
    const done = (outcome: Outcome<Result>): void => this.#ended(run, outcome);
    this.#engine.run(run.batch, done, (stop) => (run.stop = stop));
  }

  #ended(run: Run<Item, Result>, outcome: Outcome<Result>): void {
    run.cancelTimer();
    this.#inFlight.delete(run);
    this.#startHeld();
    const own = provenOutcome(run, outcome);
    if (isOfAnother(run, own)) this.#runAgain(run);
    else run.done(own);
  }

  /**
   * Runs a single item once more. Not at once: clients whose requests were joined have failed together, and must not
   * ask together again.
   */
  #runAgain(run: Run<Item, Result>): void {
    const { timer, random } = this.#parts;
    Object.assign(run, { isAgain: true, isDelayed: true, size: null });
    run.cancelTimer = timer.schedule(timer.now() + growingWaitMs(1, random), () => {
      this.#held.push(run);
      this.#startHeld();
    });
  }

  /** Nobody waits for a run any more. The engine never learns of one that it does not have. */
  #leave(run: Run<Item, Result>): void {
    run.isUnwanted = true;
    if (!this.#inFlight.has(run)) this.#drop(run);
    else if (isOfTheOnlySize(run.batch)) run.stop();
    else {
      const { timer } = this.#parts;
      const ms = Math.max(LEAVING_MS, run.batch.predictedMs ?? 0);
      run.cancelTimer = timer.schedule(timer.now() + ms, () => run.stop());
    }
  }

  #drop(run: Run<Item, Result>): void {
    run.cancelTimer();
    const place = this.#held.indexOf(run);
    if (place >= 0) this.#held.splice(place, 1);
    afterMicrotask(() => this.#ended(run, { error: new Error("nobody waits for this batch"), divisible: false }));
  }
}

/** What batches have in common that can be joined. */
function sizeOf<Item extends { readonly shape: ItemShape }>({ items, extents }: Batch<Item>): string {
  return `${items[0]?.shape.group}|${extents.join("x")}`;
}

/** Whether all items of the model have one size. */
function isOfTheOnlySize<Item extends { readonly shape: ItemShape }>({ items, extents }: Batch<Item>): boolean {
  return extents.length === 0 && items[0]?.shape.group === "";
}

/** Returns an outcome without what it does not show, because the run was held, or another one was in flight with it. */
function provenOutcome<Item, Result>(
  { hadCompany, isDelayed }: Run<Item, Result>,
  outcome: Outcome<Result>,
): Outcome<Result> {
  if ("results" in outcome) return isDelayed ? { ...outcome, isDelayed } : outcome;
  return hadCompany ? { ...outcome, isRepeatable: false } : outcome;
}

/** Whether a failure may be that of another item, of this page or of another client. */
function isOfAnother<Item, Result>(run: Run<Item, Result>, outcome: Outcome<Result>): boolean {
  if ("results" in outcome || run.isAgain || run.isUnwanted || run.batch.items.length > 1) return false;
  const { error, divisible, isRepeatable } = outcome;
  const isOfPage = error instanceof FramebatchError && error.code === "OUT_OF_MEMORY";
  return divisible && isRepeatable !== true && !isOfPage;
}
