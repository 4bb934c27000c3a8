import { predictStream, type StreamPort } from "@framebatch/batcher/calls/predict-stream.js";
import type { Cancel } from "@framebatch/host/clock.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";
import { queueFull } from "@framebatch/batcher/requests/request-errors.js";
import type { StateData } from "../sequence-messages.js";
import {
  checkStepOptions,
  type Sequence,
  type SequenceOptions,
  type SequenceState,
  type SequencePredictOptions,
} from "../sequence-options.js";
import { asyncDispose } from "@framebatch/host/async-dispose.js";
import { droppedStep, lateStep, sequenceDisposed } from "./sequence-errors.js";
import { type Caller, ResetTurn, SnapshotTurn, StepTurn, type Turn, type TurnPlace } from "./sequence-turns.js";
import { OrderedQueue } from "@framebatch/batcher/queue/ordered-queue.js";
import { copyOptions } from "@framebatch/batcher/options/copy-options.js";

/** The most steps that wait, unless the options say another number. */
const MAX_WAITING = 1024;

/**
 * The longest wait of a step in a live stream, in milliseconds. After a stop of the page or the worker for so long, a
 * model that keeps up with the stream answers all that came meanwhile within as much time again.
 */
const MAX_WAIT_MS = 2000;

/** What a sequence needs beside its place. */
export interface SequenceParts<Input, Row, Output> extends TurnPlace<Row, Output> {
  /** Checks and copies an item. @throws INVALID_INPUT */
  readonly admit: (item: Input, isMoved: boolean) => Row;
  /** Returns what `snapshot` tells. @throws INVALID_OPTION if it can tell nothing */
  readonly snapshotOf: (state: StateData) => SequenceState;
  /**
   * The sequences of the model that its end has to end: not those that were idle for `idleMs`, of which nothing is
   * left.
   */
  readonly atWork: Pick<Set<{ dispose(): Promise<void> }>, "add" | "delete">;
}

/** A stream through a model: the line of its steps, of which one at a time is in the queue of the model. */
export class ModelSequence<Input, Row, Output> implements Sequence<Input, Output> {
  readonly #parts: SequenceParts<Input, Row, Output>;
  readonly #overflow: "wait" | "drop-oldest";
  readonly #maxWaiting: number;
  /** `Infinity`: no limit. */
  readonly #maxWaitMs: number;
  readonly #idleMs: number | null;
  readonly #line = new Line();
  #current: Turn | null = null;
  #cancelIdle: Cancel = () => undefined;
  /** Why no step can follow; `null` while one can. */
  #end: { readonly error: Error } | null = null;
  readonly #whenEnded = new Set<() => void>();

  constructor(parts: SequenceParts<Input, Row, Output>, options: SequenceOptions) {
    const { overflow = "wait", maxQueueSize = MAX_WAITING, maxWaitMs = MAX_WAIT_MS, idleMs = null } = options;
    this.#parts = parts;
    this.#overflow = overflow;
    this.#maxWaiting = maxQueueSize;
    this.#maxWaitMs = overflow === "wait" ? Infinity : maxWaitMs;
    this.#idleMs = idleMs;
    parts.atWork.add(this);
    this.#rest();
  }

  get steps(): number {
    return this.#parts.state.steps;
  }

  /** Why the sequence has ended; `null` if it has not. */
  get endedWith(): Error | null {
    return this.#end?.error ?? null;
  }

  predict(item: Input, options: SequencePredictOptions = {}): Promise<Output> {
    return new Promise((resolve, reject) => void this.ask(item, options, { resolve, reject }));
  }

  predictStream(
    source: Iterable<Input> | AsyncIterable<Input>,
    options: SequencePredictOptions = {},
  ): AsyncGenerator<Output, void, undefined> {
    return predictStream(source, new SequenceStream(this, options));
  }

  reset(): void {
    if (this.#end === null) this.#join(new ResetTurn(this.#parts));
  }

  snapshot(): Promise<SequenceState> {
    return new Promise((resolve, reject) => {
      if (this.#end !== null) throw this.#end.error;
      const told = (state: StateData) => {
        try {
          resolve(this.#parts.snapshotOf(state));
        } catch (error) {
          reject(error);
        }
      };
      this.#join(new SnapshotTurn(this.#parts, { resolve: told, reject }));
    });
  }

  dispose(): Promise<void> {
    this.#close(sequenceDisposed());
    return Promise.resolve();
  }

  [asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /**
   * Adds a step to the line.
   * @throws INVALID_OPTION, INVALID_INPUT, OVERLOADED, DISPOSED; `signal.reason` if it has aborted before
   */
  ask(item: Input, options: SequencePredictOptions, caller: Caller<Output>): Turn {
    checkStepOptions(options);
    if (this.#end !== null) throw this.#end.error;
    if (options.signal?.aborted) throw options.signal.reason;
    const row = this.#parts.admit(item, false);
    this.#makeRoomFor(row);
    const turn = new StepTurn(this.#parts, row, options, caller, (left) => this.#line.remove(left));
    this.#join(turn);
    return turn;
  }

  /** Calls back when the sequence ends. Returns how to stop that. */
  onEnd(callback: () => void): () => void {
    this.#whenEnded.add(callback);
    return () => void this.#whenEnded.delete(callback);
  }

  /** @throws OVERLOADED if there is none */
  #makeRoomFor(row: Row): void {
    const { steps, oldestStep } = this.#line;
    if (oldestStep === undefined || steps < this.#maxWaiting) return;
    if (this.#overflow === "drop-oldest") return oldestStep.reject(droppedStep(this.#maxWaiting));
    this.#parts.queue.discard(row);
    throw queueFull(steps, this.#maxWaiting);
  }

  /** Drops the steps that have waited too long. Not the newest one: a stream that waits for its answer would end. */
  #dropLate(): void {
    const dueMs = this.#parts.clock.now() - this.#maxWaitMs;
    while (this.#line.steps > 1 && this.#line.oldestStep!.askedAtMs! < dueMs)
      this.#line.oldestStep!.reject(lateStep(this.#maxWaitMs));
  }

  #join(turn: Turn): void {
    this.#cancelIdle();
    this.#parts.atWork.add(this);
    this.#line.push(turn);
    if (this.#current === null) this.#next();
    else this.#dropLate();
  }

  /** Begins the next turn; in a later microtask after the last one has ended, when its caller has been told. */
  #next(): void {
    this.#dropLate();
    const turn = this.#line.take();
    this.#current = turn;
    if (turn === null) return this.#rest();
    turn.begin(() => afterMicrotask(() => this.#next()));
  }

  #rest(): void {
    const { clock } = this.#parts;
    const idleMs = this.#idleMs;
    if (idleMs === null || this.#end !== null) return;
    this.#cancelIdle = clock.schedule(clock.now() + idleMs, () => {
      this.#parts.state.rest();
      this.#parts.atWork.delete(this);
    });
  }

  #close(error: Error): void {
    if (this.#end !== null) return;
    this.#end = { error };
    this.#cancelIdle();
    this.#parts.atWork.delete(this);
    this.#current?.reject(error);
    for (let turn = this.#line.take(); turn !== null; turn = this.#line.take()) turn.reject(error);
    this.#parts.state.end();
    for (const tell of this.#whenEnded) tell();
  }
}

/**
 * What waits for its turn in a sequence, in the order of the calls. Hours of input may wait, so no operation looks at
 * more than one of them: each takes O(1) amortised time.
 */
class Line {
  readonly #turns = new OrderedQueue<Turn>(() => false, isWaiting);
  readonly #steps = new OrderedQueue<Turn>(() => false, isWaiting);

  /** Number of steps that wait. */
  get steps(): number {
    return this.#steps.size;
  }

  /** The step that has waited longest. */
  get oldestStep(): Turn | undefined {
    return this.#steps.head();
  }

  push(turn: Turn): void {
    turn.isWaiting = true;
    this.#turns.push(turn);
    if (turn.askedAtMs !== null) this.#steps.push(turn);
  }

  /** Removes what comes next. Returns `null` if nothing waits. */
  take(): Turn | null {
    const next = this.#turns.head();
    if (next !== undefined) this.remove(next);
    return next ?? null;
  }

  /** Does nothing for what does not wait. */
  remove(turn: Turn): void {
    if (!turn.isWaiting) return;
    turn.isWaiting = false;
    this.#turns.removed();
    if (turn.askedAtMs !== null) this.#steps.removed();
  }
}

function isWaiting(turn: Turn): boolean {
  return turn.isWaiting;
}

/** Number of items that are pulled and not yet yielded: one runs, and the next one waits for its turn. */
const AHEAD = 2;

/** A sequence, as a stream of its steps needs it. */
type StreamedSequence<Input, Output> = Pick<ModelSequence<Input, unknown, Output>, "ask" | "onEnd" | "endedWith">;

/** The steps of one stream of a sequence. */
class SequenceStream<Input, Output> implements StreamPort<Input, Output> {
  readonly #sequence: StreamedSequence<Input, Output>;
  readonly #options: SequencePredictOptions;
  readonly #open = new Set<Turn>();
  #onChange: () => void = () => undefined;
  #forget: () => void = () => undefined;

  constructor(sequence: StreamedSequence<Input, Output>, options: SequencePredictOptions) {
    this.#sequence = sequence;
    // Read for each item.
    this.#options = copyOptions(options);
  }

  open(onChange: () => void): void {
    checkStepOptions(this.#options);
    if (this.stopped !== null) throw this.stopped.reason;
    this.#onChange = onChange;
    this.#forget = this.#sequence.onEnd(onChange);
    this.#options.signal?.addEventListener("abort", onChange);
  }

  get stopped(): { readonly reason: unknown } | null {
    const { signal } = this.#options;
    if (signal?.aborted) return { reason: signal.reason };
    const reason = this.#sequence.endedWith;
    return reason === null ? null : { reason };
  }

  wants(pulled: number): boolean {
    return this.stopped === null && pulled < AHEAD;
  }

  predict(item: Input): Promise<Output> {
    let turn: Turn | null = null;
    const result = new Promise<Output>((resolve, reject) => {
      turn = this.#sequence.ask(item, this.#options, { resolve, reject });
      this.#open.add(turn);
    });
    return result.finally(() => turn !== null && this.#open.delete(turn));
  }

  close(): void {
    this.#forget();
    this.#options.signal?.removeEventListener("abort", this.#onChange);
    const reason = new DOMException("the stream was stopped", "AbortError");
    for (const turn of this.#open) turn.reject(reason);
  }
}
