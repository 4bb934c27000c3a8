import { afterMicrotask } from "@framebatch/host/microtask.js";
import type { Priority, Ticket } from "@framebatch/batcher/queue/request.js";
import type { OpenRun, PipelineStream } from "./open-run.js";
import type { Hold, Next, Path } from "./path.js";

/**
 * Returns the path whose results go on in the order in which the items of their stream came. One that is early waits,
 * and keeps its hold. The items of different streams, and those of none, do not wait for each other.
 */
export function inOrder<In, Out>(path: Path<In, Out>): Path<In, Out> {
  const lines = new WeakMap<PipelineStream, Line>();
  return (item, hold, run, next) => {
    const { stream } = run;
    if (stream === undefined) return path(item, hold, run, next);
    const line = lines.get(stream) ?? new Line();
    lines.set(stream, line);
    const turn = new Turn(line, run);
    path(item, hold, run, (result, resultHold) => turn.come(result, resultHold, next));
  };
}

/** The items of one stream that are on a path, in order. */
class Line {
  readonly #turns = new Set<Turn>();
  #isAdvancing = false;

  add(turn: Turn): void {
    this.#turns.add(turn);
  }

  delete(turn: Turn): void {
    this.#turns.delete(turn);
  }

  /** Lets the results at the head go on. What they cause may add turns, but goes on by itself only after them. */
  advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    for (const turn of this.#turns) if (!turn.go()) break;
    this.#isAdvancing = false;
  }
}

/** The place of one item in its line. Its run gives it up when it ends. */
class Turn implements Ticket {
  readonly #line: Line;
  readonly #run: OpenRun;
  #hold: Hold | null = null;
  /** Passes the result on; `null` until it is there. */
  #pass: (() => void) | null = null;

  constructor(line: Line, run: OpenRun) {
    this.#line = line;
    this.#run = run;
    line.add(this);
    run.add(this);
  }

  come<Out>(result: Out, hold: Hold, next: Next<Out>): void {
    this.#hold = hold;
    this.#pass = () => next(result, hold);
    this.#line.advance();
  }

  /** Passes the result on. Returns false if it is not there yet. */
  go(): boolean {
    if (this.#pass === null) return false;
    this.#line.delete(this);
    this.#run.delete(this);
    this.#pass();
    return true;
  }

  cancel(): void {
    this.#line.delete(this);
    this.#hold?.release();
    // Not now: an abort or a dispose ends the others of the line next.
    afterMicrotask(() => this.#line.advance());
  }

  setPriority(_priority: Priority): void {}
}
