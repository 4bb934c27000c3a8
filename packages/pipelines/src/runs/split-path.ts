import type { Priority, Ticket } from "@framebatch/batcher/queue/request.js";
import { notIterable } from "@framebatch/batcher/calls/predict-many.js";
import { type Source, SourceReader } from "@framebatch/batcher/calls/source-reader.js";
import { settleCall } from "@framebatch/batcher/calls/user-call.js";
import type { OpenRun } from "./open-run.js";
import { createHold, NO_HOLD, type Hold, type Next, type Path } from "./path.js";
import type { StepEnding } from "./pipeline-stats.js";

/** A split, and the path of each of its parts. */
interface SplitConfig<Item, Part, PartResult> {
  /** The place of the split among the steps of the pipeline. */
  readonly splitIndex: number;
  readonly split: (item: Item) => Source<Part> | PromiseLike<Source<Part>>;
  readonly path: Path<Part, PartResult>;
}

/** Returns the path of an item that is split into parts, which take a path of their own: to their results, in order. */
export function splitPath<Item, Part, PartResult>(
  config: SplitConfig<Item, Part, PartResult>,
): Path<Item, PartResult[]> {
  return (item, hold, run, next) => {
    new OpenSplit(config, hold, run, next).start(item);
  };
}

/**
 * One item that is split. In a stream it keeps the hold that it came with until it has no further parts, and asks for
 * the next part when the first stage has taken the one before. So only one part of each split waits for its first
 * stage. Results of parts are kept in the order of the parts until all are there.
 */
class OpenSplit<Item, Part, PartResult> implements Ticket {
  readonly #config: SplitConfig<Item, Part, PartResult>;
  readonly #hold: Hold;
  readonly #run: OpenRun;
  readonly #next: Next<PartResult[]>;
  readonly #results: PartResult[] = [];
  #parts: SourceReader<Part> | null = null;
  /** `null` while the item only waits for its parts. */
  #stay: StepStay | null = null;
  #count = 0;
  #done = 0;
  #isPumping = false;
  /** Whether the next part has been asked for, or waits for its first stage. */
  #isBusy = false;
  #isExhausted = false;
  #isOpen = true;

  constructor(config: SplitConfig<Item, Part, PartResult>, hold: Hold, run: OpenRun, next: Next<PartResult[]>) {
    this.#config = config;
    this.#hold = hold;
    this.#run = run;
    this.#next = next;
  }

  start(item: Item): void {
    this.#run.add(this);
    this.#stay = new StepStay(this.#run, this.#config.splitIndex);
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
   * Starts parts until one has to wait. A loop, because a list of parts would otherwise need a stack of its length.
   * When the run ends, its parts are cancelled one after the other, and each lets go of its door: that must start no
   * part.
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
      this.#passIfDone();
    });
  }

  #exhausted(): void {
    this.#isExhausted = true;
    this.#run.step(this.#config.splitIndex).statistics.divided(this.#count);
    this.#leave("completed");
    this.#hold.release();
    this.#passIfDone();
  }

  #passIfDone(): void {
    if (!this.#isOpen || this.#done < this.#count || !this.#isExhausted) return;
    this.#isOpen = false;
    this.#run.delete(this);
    this.#next(this.#results, NO_HOLD);
  }

  /** Fails the run at the split with what a function or a source of the caller has thrown. */
  readonly #fail = (error: unknown): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#leave("failed");
    this.#run.delete(this);
    this.#hold.release();
    this.#run.fail(this.#config.splitIndex, error);
  };

  #leave(ending: StepEnding): void {
    this.#stay?.leave(ending);
    this.#stay = null;
  }
}

/** @throws TypeError when the source cannot be iterated; what it throws. */
function openParts<Part>(source: Source<Part>): SourceReader<Part> {
  const parts = SourceReader.open(source);
  if (parts !== null) return parts;
  throw new TypeError(notIterable("parts", source));
}

/**
 * Returns the path on which the results of an item's parts become one.
 * @param index the collect's place among the steps of the pipeline
 */
export function collectPath<PartResult, Result>(
  index: number,
  collect: (results: PartResult[]) => Result | PromiseLike<Result>,
): Path<PartResult[], Result> {
  return (results, hold, run, next) => {
    hold.release();
    new OpenCollect(index, run, next).start(() => collect(results));
  };
}

/** One item that is collected. */
class OpenCollect<Result> implements Ticket {
  readonly #run: OpenRun;
  readonly #next: Next<Result>;
  readonly #stay: StepStay;
  #isOpen = true;

  constructor(index: number, run: OpenRun, next: Next<Result>) {
    this.#run = run;
    this.#next = next;
    this.#stay = new StepStay(run, index);
    run.add(this);
  }

  start(call: () => Result | PromiseLike<Result>): void {
    settleCall(
      call,
      (result) => {
        if (this.#end("completed")) this.#next(result, NO_HOLD);
      },
      (error) => {
        if (this.#end("failed")) this.#run.fail(this.#stay.index, error);
      },
    );
  }

  cancel(): void {
    this.#end("aborted");
  }

  setPriority(_priority: Priority): void {}

  /** Returns whether it was open until now. */
  #end(ending: StepEnding): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.#stay.leave(ending);
    this.#run.delete(this);
    return true;
  }
}

/** The time that an item is in a split or a collect. */
class StepStay {
  readonly #run: OpenRun;
  readonly #sinceMs: number;
  readonly index: number;

  /** @param index the place of the step among those of the pipeline */
  constructor(run: OpenRun, index: number) {
    this.#run = run;
    this.#sinceMs = run.nowMs;
    this.index = index;
    run.step(index).statistics.arrived();
  }

  leave(ending: StepEnding): void {
    this.#run.passed(this.index, this.#sinceMs);
    this.#run.step(this.index).statistics.left(ending, this.#run.nowMs - this.#sinceMs);
  }
}
