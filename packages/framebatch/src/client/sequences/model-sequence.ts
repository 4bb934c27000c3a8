import { predictStream } from "@framebatch/batcher/calls/predict-stream.js";
import type { Cancel } from "@framebatch/host/clock.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";
import { queueFull } from "@framebatch/batcher/requests/request-errors.js";
import type { StateData } from "../../transport/protocol.js";
import { checkStepOptions } from "../options/sequence-options.js";
import type { Sequence, SequenceOptions, SequenceState, SequencePredictOptions } from "../options/sequence.js";
import { asyncDispose } from "@framebatch/host/async-dispose.js";
import { droppedStep, sequenceDisposed, sequenceIdle } from "./sequence-errors.js";
import { SequenceStream } from "./sequence-stream.js";
import { type Caller, ResetTurn, SnapshotTurn, StepTurn, type Turn, type TurnPlace } from "./turns.js";

const WAITING = { wait: 1024, "drop-oldest": 8 } as const;

/** What a sequence needs beside its place. */
export interface SequenceParts<Input, Row, Output> extends TurnPlace<Row, Output> {
  /** Checks and copies an item. @throws INVALID_INPUT */
  readonly admit: (item: Input, isMoved: boolean) => Row;
  /** Returns what `snapshot` tells. @throws INVALID_OPTION if it can tell nothing */
  readonly snapshotOf: (state: StateData) => SequenceState;
}

/** A stream through a model: the line of its steps, of which one at a time is in the queue of the model. */
export class ModelSequence<Input, Row, Output> implements Sequence<Input, Output> {
  readonly #parts: SequenceParts<Input, Row, Output>;
  readonly #overflow: "wait" | "drop-oldest";
  readonly #maxWaiting: number;
  readonly #idleMs: number | null;
  #line: Turn[] = [];
  #current: Turn | null = null;
  #cancelIdle: Cancel = () => undefined;
  /** Why no step can follow; `null` while one can. */
  #end: { readonly error: Error } | null = null;
  readonly #whenEnded = new Set<() => void>();

  constructor(parts: SequenceParts<Input, Row, Output>, { overflow = "wait", maxQueueSize, idleMs }: SequenceOptions) {
    this.#parts = parts;
    this.#overflow = overflow;
    this.#maxWaiting = maxQueueSize ?? WAITING[overflow];
    this.#idleMs = idleMs ?? null;
    this.#rest();
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
    const turn = new StepTurn(this.#parts, row, options, caller, (left) => this.#leave(left));
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
    const waiting = this.#line.filter(({ isStep }) => isStep);
    const [oldest] = waiting;
    if (oldest === undefined || waiting.length < this.#maxWaiting) return;
    if (this.#overflow === "drop-oldest") return oldest.reject(droppedStep(this.#maxWaiting));
    this.#parts.queue.discard(row);
    throw queueFull(waiting.length, this.#maxWaiting);
  }

  #leave(turn: Turn): void {
    this.#line = this.#line.filter((other) => other !== turn);
  }

  #join(turn: Turn): void {
    this.#cancelIdle();
    this.#line.push(turn);
    if (this.#current === null) this.#next();
  }

  /** Begins the next turn; in a later microtask after the last one has ended, when its caller has been told. */
  #next(): void {
    const turn = this.#line.shift() ?? null;
    this.#current = turn;
    if (turn === null) return this.#rest();
    turn.begin(() => afterMicrotask(() => this.#next()));
  }

  #rest(): void {
    const { clock } = this.#parts;
    const idleMs = this.#idleMs;
    if (idleMs === null || this.#end !== null) return;
    this.#cancelIdle = clock.schedule(clock.now() + idleMs, () => this.#close(sequenceIdle(idleMs)));
  }

  #close(error: Error): void {
    if (this.#end !== null) return;
    this.#end = { error };
    this.#cancelIdle();
    const open = [this.#current, ...this.#line.splice(0)];
    for (const turn of open) turn?.reject(error);
    this.#parts.state.end();
    for (const tell of this.#whenEnded) tell();
  }
}
