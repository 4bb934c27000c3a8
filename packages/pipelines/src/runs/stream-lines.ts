import { afterMicrotask } from "@framebatch/host/microtask.js";
import type { PipelineStream } from "./pipeline-stream.js";

/** A part that waits until those of its stream before it have left a stage. */
interface LineTaker {
  /** Called once, when it is the part's turn. */
  ask(): void;
}

/** The lines of the streams at a stage with a state for each: another part of a stream comes when the one before has left. */
export class StreamLines {
  readonly #lines = new WeakMap<PipelineStream, StreamLine>();

  of(stream: PipelineStream): StreamLine {
    const line = this.#lines.get(stream) ?? new StreamLine();
    this.#lines.set(stream, line);
    return line;
  }
}

/** The parts of one stream, in order. One at a time has its turn, also while it waits to ask an overloaded stage again. */
export class StreamLine {
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
