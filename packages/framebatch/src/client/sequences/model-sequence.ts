import { predictStream } from "@framebatch/batcher/calls/predict-stream.js";
import type { Cancel } from "@framebatch/host/clock.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";
import { queueFull } from "@framebatch/batcher/requests/request-errors.js";
import type { StateData } from "../../transport/protocol.js";
import { checkStepOptions } from "../options/sequence-options.js";
import type { Sequence, SequenceOptions, SequenceState, SequencePredictOptions } from "../options/sequence.js";
import { asyncDispose } from "@framebatch/host/async-dispose.js";
import { Line } from "./line.js";
import { droppedStep, lateStep, sequenceDisposed } from "./sequence-errors.js";
import { SequenceStream } from "./sequence-stream.js";
import { type Caller, ResetTurn, SnapshotTurn, StepTurn, type Turn, type TurnPlace } from "./sequence-turns.js";

/** The most steps that wait, unless the options say another number. */
const MAX_WAITING = 1024;

/**
 * The longest wait of a step in a live stream, in milliseconds. After a stop of the page or the worker for so long, a model that
 * keeps up with the stream answers all that came meanwhile within as much time again.
 */
const MAX_WAIT_MS = 2000;

/** What a sequence needs beside its place. */
export interface SequenceParts<Input, Row, Output> extends TurnPlace<Row, Output> {
  /** Checks and copies an item. @throws INVALID_INPUT */
  readonly admit: (item: Input, isMoved: boolean) => Row;
  /** Returns what `snapshot` tells. @throws INVALID_OPTION if it can tell nothing */
  readonly snapshotOf: (state: StateData) => SequenceState;
  /** The sequences of the model that its end has to end: not those that were idle for `idleMs`, of which nothing is left. */
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
