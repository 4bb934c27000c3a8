import { type Cancel, type Clock } from "@framebatch/host/clock.js";
import { LateTicket, type Priority, type RequestOptions, type Sink, STAYS } from "@framebatch/batcher/queue/request.js";
import { timedOut } from "@framebatch/batcher/requests/request-errors.js";
import type { StateData } from "../sequence-messages.js";
import type { SequencePredictOptions } from "../sequence-options.js";
import {
  enqueueAbortable,
  type Enqueuer,
  type SignalRequest,
  SignalRequests,
} from "@framebatch/batcher/calls/abortable.js";
import type { KeptState, Stepped } from "./kept-state.js";

/** What waits in the line of a sequence. One at a time has its turn. */
export interface Turn {
  /** When a step was asked; `null` for what needs no room in the line. */
  readonly askedAtMs: number | null;
  /** Whether it is in the line. Only the line changes it. */
  isWaiting: boolean;
  /** Begins. Calls `ended` when the next one may begin, also synchronously. */
  begin(ended: () => void): void;
  /** Rejects it, whether it has begun or not. */
  reject(error: unknown): void;
}

/** Where the turns of a sequence run. */
export interface TurnPlace<Row, Output> {
  readonly queue: Enqueuer<Row, Output>;
  readonly clock: Clock;
  readonly state: KeptState<Row>;
}

/** Who waits for a turn. */
export interface Caller<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** A step: waits for its turn, and then for its answer. Its signal and its timeout hold for both. */
export class StepTurn<Row, Output> implements Turn, Sink<Output>, SignalRequest {
  readonly askedAtMs: number;
  isWaiting = false;
  readonly #place: TurnPlace<Row, Output>;
  readonly #item: Row;
  /** The options of the step, with the priority that its signal has set since. */
  #options: SequencePredictOptions;
  readonly #caller: Caller<Output>;
  readonly #onLeft: (turn: Turn) => void;
  readonly #ticket = new LateTicket();
  readonly #cancelTimeout: Cancel = () => undefined;
  #running: { readonly row: Stepped<Row>; readonly kept: Row | null } | null = null;
  #ended: (() => void) | null = null;
  #isSettled = false;

  /** @param onLeft called if it settles before its turn */
  constructor(
    place: TurnPlace<Row, Output>,
    item: Row,
    options: SequencePredictOptions,
    caller: Caller<Output>,
    onLeft: (turn: Turn) => void,
  ) {
    const { signal, timeoutMs } = options;
    this.#place = place;
    this.#item = item;
    // Read at its turn, when the caller may have changed them.
    this.#options = { ...options };
    this.#caller = caller;
    this.#onLeft = onLeft;
    this.askedAtMs = place.clock.now();
    if (signal !== undefined) SignalRequests.of(signal).add(this);
    if (timeoutMs === undefined) return;
    const [enqueuedAtMs, timeoutAtMs] = [this.askedAtMs, this.askedAtMs + timeoutMs];
    this.#cancelTimeout = place.clock.schedule(timeoutAtMs, () => this.reject(timedOut({ enqueuedAtMs, timeoutAtMs })));
  }

  begin(ended: () => void): void {
    const { state, queue } = this.#place;
    this.#stopWaiting();
    this.#ended = ended;
    if (state.lost !== null) return this.reject(state.lost);
    const row = state.next(this.#item);
    try {
      this.#running = { row, kept: state.keepFor(row) };
    } catch (error) {
      return this.reject(error);
    }
    const options: SequencePredictOptions & RequestOptions = { ...this.#options, sinceMs: this.askedAtMs };
    this.#ticket.enqueued(enqueueAbortable(queue, row, this, options));
  }

  /** Called while it waits. */
  abort(reason: unknown): void {
    this.reject(reason);
  }

  /** Called while it waits: its request reads the priority of the signal, unless it has one of its own. */
  prioritise(priority: Priority): void {
    const { signal, priority: own } = this.#options;
    if (signal !== undefined && own !== undefined && SignalRequests.of(signal).isOfStage)
      this.#options = { ...this.#options, priority };
  }

  resolve(output: Output): void {
    const { row, kept } = this.#running!;
    row.step.isOpen = false;
    this.#place.state.advance(row.step, kept);
    this.#settle(() => this.#caller.resolve(output));
  }

  /** Rejects the step. The queue calls it too. */
  reject(error: unknown): void {
    if (this.#isSettled) return;
    if (this.#running !== null) {
      this.#running.row.step.isOpen = false;
      this.#place.state.left(this.#running.kept);
    }
    this.#settle(() => this.#caller.reject(error));
    this.#ticket.cancel(error);
  }

  #settle(tell: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#stopWaiting();
    tell();
    if (this.#running === null) this.#place.queue.discard(this.#item);
    if (this.#ended === null) this.#onLeft(this);
    else this.#ended();
  }

  #stopWaiting(): void {
    const { signal } = this.#options;
    if (signal !== undefined) SignalRequests.of(signal).delete(this);
    this.#cancelTimeout();
  }
}

/** Puts the state back to the initial one. */
export class ResetTurn implements Turn {
  readonly askedAtMs = null;
  isWaiting = false;
  readonly #state: Pick<KeptState<never>, "reset">;

  constructor({ state }: { readonly state: Pick<KeptState<never>, "reset"> }) {
    this.#state = state;
  }

  begin(ended: () => void): void {
    this.#state.reset();
    ended();
  }

  reject(): void {}
}

/** Returns the state. If the page has no copy of it, the newest step runs again to return it. */
export class SnapshotTurn<Row, Output> implements Turn, Sink<Output> {
  readonly askedAtMs = null;
  isWaiting = false;
  readonly #place: TurnPlace<Row, Output>;
  readonly #caller: Caller<StateData>;
  readonly #ticket = new LateTicket();
  #row: Stepped<Row> | null = null;
  #ended: (() => void) | null = null;

  constructor(place: TurnPlace<Row, Output>, caller: Caller<StateData>) {
    this.#place = place;
    this.#caller = caller;
  }

  begin(ended: () => void): void {
    const { state, queue } = this.#place;
    this.#ended = ended;
    if (state.lost !== null) return this.reject(state.lost);
    if (state.current !== null) return this.#tell(state.current);
    try {
      this.#row = state.again();
    } catch (error) {
      return this.reject(error);
    }
    this.#ticket.enqueued(queue.enqueue(this.#row, this, { [STAYS]: true }));
  }

  resolve(): void {
    const { state } = this.#place;
    state.advance(this.#row!.step, null);
    this.#row!.step.isOpen = false;
    this.#tell(state.current!);
  }

  reject(error: unknown): void {
    if (this.#row !== null) this.#row.step.isOpen = false;
    this.#caller.reject(error);
    this.#ticket.cancel(error);
    this.#end();
  }

  #tell(state: StateData): void {
    this.#caller.resolve(state);
    this.#end();
  }

  #end(): void {
    this.#ended?.();
    this.#ended = null;
  }
}
