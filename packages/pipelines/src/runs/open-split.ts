import type { Priority } from "@framebatch/batcher/queue/priority.js";
import type { Ticket } from "@framebatch/batcher/queue/request.js";
import { notIterable, type Source, SourceReader } from "@framebatch/batcher/calls/source-reader.js";
import { settleCall } from "@framebatch/batcher/calls/user-call.js";
import type { OpenRun } from "./open-run.js";
import { createHold, NO_HOLD, type Hold, type Next, type Path } from "./path.js";

/** A split, the path of each of its parts, and the collect that ends it. */
export interface SplitConfig<Item, Part, PartResult, Result> {
  /** The places of the split and the collect among the steps of the pipeline. */
  readonly splitIndex: number;
  readonly collectIndex: number;
  readonly split: (item: Item) => Source<Part> | PromiseLike<Source<Part>>;
  readonly path: Path<Part, PartResult>;
  readonly collect: (results: PartResult[]) => Result | PromiseLike<Result>;
}

/** Returns the path of an item that is split into parts, which take a path of their own and are collected again. */
export function splitPath<Item, Part, PartResult, Result>(
  config: SplitConfig<Item, Part, PartResult, Result>,
): Path<Item, Result> {
  return (item, hold, run, next) => {
    new OpenSplit(config, hold, run, next).start(item);
  };
}

/**
 * One item that is split. In a stream it keeps the hold that it came with until it has no further parts, and asks for
 * the next part when the first stage has taken the one before. So only one part of each split waits for its first stage.
 * Results of parts are kept in the order of the parts until all are there.
 */
class OpenSplit<Item, Part, PartResult, Result> implements Ticket {
  readonly #config: SplitConfig<Item, Part, PartResult, Result>;
  readonly #hold: Hold;
  readonly #run: OpenRun;
  readonly #next: Next<Result>;
  readonly #results: PartResult[] = [];
  #parts: SourceReader<Part> | null = null;
  /** The step that the item is in, and since when; `null` while it waits for its parts. */
  #current: { readonly index: number; readonly sinceMs: number } | null = null;
  #count = 0;
  #done = 0;
  #isPumping = false;
  /** Whether the next part has been asked for, or waits for its first stage. */
  #isBusy = false;
  #isExhausted = false;
  #isOpen = true;

  constructor(config: SplitConfig<Item, Part, PartResult, Result>, hold: Hold, run: OpenRun, next: Next<Result>) {
    this.#config = config;
    this.#hold = hold;
    this.#run = run;
    this.#next = next;
  }

  start(item: Item): void {
    this.#run.add(this);
    this.#enter(this.#config.splitIndex);
    this.#isBusy = true;
    settleCall(() => this.#config.split(item), this.#open, this.#fail);
  }

  cancel(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#leave("aborted");
    this.#hold.release();
    this.#parts?.close();
  }

  /** The parts follow the priority of the run by themselves. */
  setPriority(_priority: Priority): void {}

  /** Opens the source of the parts. One that comes after the run has ended is opened only to be closed. */
  readonly #open = (source: Source<Part>): void => {
    settleCall(
      () => openParts(source),
      (parts) => {
        this.#parts = parts;
        if (!this.#isOpen) return parts.close();
        this.#isBusy = false;
        this.#pump();
      },
      this.#fail,
    );
  };

  /**
   * Starts parts until one has to wait. A loop, because a list of parts would otherwise need a stack of its length. When
   * the run ends, its parts are cancelled one after the other, and each lets go of its door: that must start no part.
   */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (this.#run.isOpen && this.#isOpen && !this.#isBusy && !this.#isExhausted) this.#pull();
    this.#isPumping = false;
  }

  #pull(): void {
    const parts = this.#parts;
    if (parts === null) return;
    this.#isBusy = true;
    parts.pull((pulled) => {
      if (!this.#isOpen) return;
      if (pulled === null) this.#exhausted();
      else this.#begin(pulled.item);
    }, this.#fail);
  }

  #begin(part: Part): void {
    const index = this.#count++;
    const door = createHold(() => {
      this.#isBusy = false;
      this.#pump();
    });
    this.#config.path(part, door, this.#run, (result, hold) => {
      this.#results[index] = result;
      this.#done += 1;
      hold.release();
      this.#collectIfDone();
    });
  }

  #exhausted(): void {
    this.#isExhausted = true;
    this.#run.step(this.#config.splitIndex).statistics.divided(this.#count);
    this.#leave("completed");
    this.#hold.release();
    this.#collectIfDone();
  }

  #collectIfDone(): void {
    if (!this.#isOpen || !this.#isExhausted || this.#done < this.#count || this.#current !== null) return;
    this.#enter(this.#config.collectIndex);
    settleCall(
      () => this.#config.collect(this.#results),
      (result) => {
        if (!this.#isOpen) return;
        this.#isOpen = false;
        this.#leave("completed");
        this.#run.delete(this);
        this.#next(result, NO_HOLD);
      },
      this.#fail,
    );
  }

  /** Fails the run at the current step with what a function or a source of the caller has thrown. */
  readonly #fail = (error: unknown): void => {
    const current = this.#current;
    if (!this.#isOpen || current === null) return;
    this.#isOpen = false;
    this.#leave("failed");
    this.#run.delete(this);
    this.#hold.release();
    this.#run.fail(current.index, error);
  };

  #enter(index: number): void {
    this.#current = { index, sinceMs: this.#run.nowMs };
    this.#run.step(index).statistics.arrived();
  }

  #leave(ending: "completed" | "failed" | "aborted"): void {
    if (this.#current === null) return;
    const { index, sinceMs } = this.#current;
    this.#current = null;
    this.#run.passed(index, sinceMs);
    this.#run.step(index).statistics.left(ending, this.#run.nowMs - sinceMs);
  }
}

/** @throws TypeError when the source cannot be iterated; what it throws. */
function openParts<Part>(source: Source<Part>): SourceReader<Part> {
  const parts = SourceReader.open(source);
  if (parts !== null) return parts;
  throw new TypeError(notIterable("parts", source));
}
