import { LateTicket, type Priority, type Ticket } from "@framebatch/batcher/queue/request.js";
import { isOverload, isQueueFull, type OpenRun, type PipelineStream } from "./open-run.js";
import type { Hold, Next, Path } from "./path.js";
import type { SlotTaker, Step } from "./step.js";
import type { Stage, StageSink } from "./stage.js";
import type { StepEnding } from "./pipeline-stats.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";

/**
 * Returns the path through one stage.
 * @param index the stage's place among the steps of the pipeline
 * @param stageForPart returns what works on one part
 * @param lines where the parts of each stream come in one at a time; `null` if they come in together
 */
export function stagePath<Item, Result>(
  index: number,
  stageForPart: () => Stage<Item, Result>,
  lines: StreamLines | null = null,
): Path<Item, Result> {
  return (item, hold, run, next) => {
    const line = run.stream === undefined ? null : (lines?.of(run.stream) ?? null);
    new Visit({ index, stage: stageForPart(), item, line, hold, run, next }).arrive();
  };
}

interface VisitParts<Item, Result> {
  readonly index: number;
  readonly stage: Stage<Item, Result>;
  readonly item: Item;
  readonly line: StreamLine | null;
  readonly hold: Hold;
  readonly run: OpenRun;
  readonly next: Next<Result>;
}

/**
 * One part at one stage. It releases the hold that it came with when it enters the stage, and is itself the hold of its
 * result: in a stream it keeps its slot until the next stage takes the result.
 */
class Visit<Item, Result> implements Ticket, Hold, StageSink<Result>, SlotTaker {
  readonly #parts: VisitParts<Item, Result>;
  readonly #step: Step;
  readonly #arrivedAtMs: number;
  readonly sequence: number;
  #ticket: Ticket | null = null;
  /** When the stage was last asked; `null` while the part is not in the stage. */
  #askedAtMs: number | null = null;
  #hasSlot = false;
  #isOpen = true;

  constructor(parts: VisitParts<Item, Result>) {
    this.#parts = parts;
    this.#step = parts.run.step(parts.index);
    this.#arrivedAtMs = parts.run.nowMs;
    this.sequence = parts.run.sequence;
  }

  arrive(): void {
    const { run } = this.#parts;
    run.add(this);
    this.#step.statistics.arrived();
    if (run.isLimited) this.#step.slots.request(this);
    else this.#leavePrevious();
  }

  enter(): void {
    this.#hasSlot = true;
    // The function that tells the number of slots may have ended the run.
    if (this.#isOpen) this.#leavePrevious();
    else this.release();
  }

  /** Asks the stage, for the first time or again. */
  ask(): void {
    const { run, stage, item } = this.#parts;
    const { remainingMs } = run;
    if (remainingMs <= 0) return run.expire();
    this.#askedAtMs = run.nowMs;
    this.#step.overloaded.asked();
    const ticket = new LateTicket();
    this.#ticket = ticket;
    try {
      ticket.enqueued(stage.enqueue(item, this, run.partOptions(remainingMs)));
    } catch (error) {
      this.reject(error);
    }
  }

  resolve(result: Result): void {
    if (!this.#isOpen) return;
    this.#leave("completed");
    this.#parts.next(result, this);
  }

  reject(error: unknown): void {
    if (!this.#isOpen || this.#mayAskAgain(error)) return;
    const { run, index } = this.#parts;
    this.#leave("failed");
    this.release();
    run.fail(index, error);
  }

  /** The stage has the state for the next part of its stream, whatever is made of the result. */
  answered(): void {
    this.#parts.line?.leave(this);
  }

  cancel(reason: unknown): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#step.slots.withdraw(this);
    this.#step.overloaded.withdraw(this);
    // Cancelled first: leaving the stage makes other parts ask for the room that this makes.
    this.#ticket?.cancel(reason);
    this.#leave("aborted");
    this.#parts.hold.release();
    this.release();
  }

  setPriority(priority: Priority): void {
    this.#ticket?.setPriority(priority);
  }

  release(): void {
    if (!this.#hasSlot) return;
    this.#hasSlot = false;
    this.#step.slots.release();
  }

  #leavePrevious(): void {
    const { hold, line } = this.#parts;
    hold.release();
    // A split has then pulled its next part, and may have failed at that.
    if (!this.#isOpen) return;
    if (line === null) this.ask();
    else line.enter(this);
  }

  /**
   * In a stream, a part waits while the stage's queue is full. One that the stage cannot answer within its
   * `maxLatencyMs` waits for the other parts of this pipeline, and fails if there are none.
   */
  #mayAskAgain(error: unknown): boolean {
    const { run, stage } = this.#parts;
    if (!run.isLimited || stage.letsWait === true || !isOverload(error)) return false;
    const { overloaded } = this.#step;
    if (!isQueueFull(error) && !overloaded.isShared) return false;
    this.#askedAtMs = null;
    this.#ticket = null;
    overloaded.rejected(this);
    return true;
  }

  #leave(ending: StepEnding): void {
    const { run, index, line } = this.#parts;
    const { statistics, overloaded } = this.#step;
    this.#isOpen = false;
    line?.leave(this);
    run.delete(this);
    run.passed(index, this.#arrivedAtMs);
    statistics.left(ending, run.nowMs - this.#arrivedAtMs);
    if (this.#askedAtMs === null) return;
    statistics.taken(this.#askedAtMs - this.#arrivedAtMs);
    overloaded.answered();
  }
}

/** A part that waits until those of its stream before it have left a stage. */
interface LineTaker {
  /** Called once, when it is the part's turn. */
  ask(): void;
}

/**
 * The lines of the streams at a stage with a state for each: another part of a stream comes when the one before has
 * left.
 */
export class StreamLines {
  readonly #lines = new WeakMap<PipelineStream, StreamLine>();

  of(stream: PipelineStream): StreamLine {
    const line = this.#lines.get(stream) ?? new StreamLine();
    this.#lines.set(stream, line);
    return line;
  }
}

/**
 * The parts of one stream, in order. One at a time has its turn, also while it waits to ask an overloaded stage again.
 */
class StreamLine {
  readonly #waiting = new Set<LineTaker>();
  #current: LineTaker | null = null;

  /** Lets the part ask now, or when those before it have left. */
  enter(part: LineTaker): void {
    this.#waiting.add(part);
    this.#advance();
  }

  leave(part: LineTaker): void {
    this.#waiting.delete(part);
    if (this.#current !== part) return;
    this.#current = null;
    // Not now: an abort or a dispose ends the others of the line next.
    afterMicrotask(() => this.#advance());
  }

  #advance(): void {
    const [next] = this.#waiting;
    if (this.#current !== null || next === undefined) return;
    this.#waiting.delete(next);
    this.#current = next;
    next.ask();
  }
}
