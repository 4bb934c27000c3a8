import { asError, type FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { SentStep, StateData } from "../sequence-messages.js";
import type { FailedRun, RunResult } from "../../client/workers/pending-runs.js";
import type { WorkerClient } from "../../client/workers/worker-client.js";
import { isStateAway, sequenceLost } from "./sequence-errors.js";

/** The part of a worker that holds states. */
export type StateClient = Pick<WorkerClient, "run" | "notify" | "hasEnded">;

/**
 * Runs an earlier step again, to restore a state, see `StepSender`.
 * @throws what ended the worker, or why it cannot be sent
 */
export type Replay<Row> = (row: Row, sentAs: () => SentStep | null) => Promise<RunResult | null>;

/** What a sequence does with its rows. */
export interface StepRows<Row> {
  /** Returns a row of its own for the same item. @throws INVALID_INPUT when it cannot be copied */
  readonly copy: (row: Row) => Row;
  /** Frees what a copy holds. */
  readonly end: (copy: Row) => void;
  /** Adds a step to a row. */
  readonly stepped: (row: Row, step: Step<Row>) => Stepped<Row>;
}

/**
 * What the page knows about the state of one sequence: the last copy of it, the items of the steps since, and which
 * worker has it. The contract is in the README of this feature.
 */
export class KeptState<Row> {
  readonly #id: number;
  readonly #initial: StateData;
  readonly #every: number;
  readonly #rows: StepRows<Row>;
  /** Number of the newest step that was answered. */
  #step = 0;
  /** The last copy, and the number of the step before it. */
  #saved: { readonly step: number; readonly state: StateData };
  /** The items of the steps after the copy. */
  readonly #since: Row[] = [];
  /** The worker that has the state, after this step; `null` if none has. */
  #home: { readonly client: StateClient; readonly step: number } | null = null;
  /** Whether that worker may have run one more step, whose caller has left. */
  #mayBeAhead = false;
  /** Settles when no state is being restored. */
  #restoring: Promise<unknown> = Promise.resolve();
  /** The last worker that was sent a step, and the number of runs there that are open. */
  #last: StateClient | null = null;
  #openRuns = 0;
  /** Whether the worker may drop the state. */
  #mayBeDropped = false;
  /** Number of the step after which the state was put back to the initial one. */
  #initialStep = 0;
  /** Why the state cannot be restored; `null` if it can, or need not be. */
  lost: FramebatchError | null = null;

  /** @param every after how many steps the state is copied to the page */
  constructor(id: number, initial: StateData, every: number, rows: StepRows<Row>) {
    this.#id = id;
    this.#rows = rows;
    this.#initial = initial;
    this.#every = every;
    this.#saved = { step: 0, state: initial };
  }

  /** Returns the next step. */
  next(row: Row): Stepped<Row> {
    this.#mayBeDropped = false;
    const step = this.#step + 1;
    return this.#rows.stepped(row, new Step(this, step, step - this.#saved.step >= this.#every));
  }

  /** The state after the newest step; `null` if the page has no copy of it. */
  get current(): StateData | null {
    return this.#saved.step === this.#step ? this.#saved.state : null;
  }

  /** Returns the newest step again, which returns the state after it. Only if the page has no copy of that. */
  again(): Stepped<Row> {
    // A worker has only the last two states.
    if (this.#mayBeAhead) this.#home = null;
    return this.#rows.stepped(this.#rows.copy(this.#since.at(-1)!), new Step(this, this.#step, true));
  }

  /** Returns what is kept of a step, if it succeeds: a copy of its item, unless it returns the state. */
  keepFor(row: Stepped<Row>): Row | null {
    return row.step.returns ? null : this.#rows.copy(row);
  }

  /** Notes that a step was answered. @param kept see `keepFor` */
  advance({ number: step, ran }: Step<Row>, kept: Row | null): void {
    if (ran === null) return this.#end(kept);
    const isNew = step > this.#step;
    this.#step = step;
    this.#home = { client: ran.client, step };
    this.#mayBeAhead = false;
    if (ran.state !== null) this.#save({ step, state: ran.state });
    if (ran.state === null && isNew && kept !== null) this.#since.push(kept);
    else this.#end(kept);
  }

  /** Notes that the caller of a step has left, which may be in a run. @param kept see `keepFor` */
  left(kept: Row | null): void {
    this.#mayBeAhead = true;
    this.#end(kept);
  }

  #save(saved: { readonly step: number; readonly state: StateData }): void {
    this.#saved = saved;
    for (const row of this.#since.splice(0)) this.#end(row);
  }

  #end(copy: Row | null): void {
    if (copy !== null) this.#rows.end(copy);
  }

  /** Number of steps since the initial state. */
  get steps(): number {
    return this.#step - this.#initialStep;
  }

  /** Starts again from the initial state. */
  reset(): void {
    this.#initialStep = this.#step;
    this.#save({ step: this.#step, state: this.#initial });
    this.#home = null;
    this.lost = null;
  }

  /** Whether a worker can run a step now: it has the state before it, or the step brings it. */
  isReadyFor(step: number, client: StateClient): boolean {
    return this.#isAt(step, client) || this.#saved.step === step - 1;
  }

  #isAt(step: number, client: StateClient): boolean {
    return this.#home?.client === client && (this.#home.step === step - 1 || this.#home.step === step);
  }

  /** Returns what a worker needs to know of a step for which it is ready. */
  sentAs(step: number, returns: boolean, client: StateClient): SentStep {
    const sent = { sequence: this.#id, step, returns };
    return this.#isAt(step, client) ? sent : { ...sent, from: this.#saved.state };
  }

  /** Forgets which worker has the state, because that worker says that it has not. */
  forgetHome(): void {
    this.#home = null;
  }

  /**
   * Makes a worker ready for a step: sends the last copy and the steps since, in order. Stops when nobody waits for the
   * step any more. If a step fails, the state is lost.
   * @throws what ended the worker
   */
  restore(step: Step<Row>, client: StateClient, replay: Replay<Row>): Promise<void> {
    const restored = this.#restoring.then(() => this.#restore(step, client, replay));
    this.#restoring = restored.catch(() => undefined);
    return restored;
  }

  async #restore(asked: Step<Row>, client: StateClient, replay: Replay<Row>): Promise<void> {
    while (asked.isOpen && this.lost === null && !this.isReadyFor(asked.number, client)) {
      const step = this.#home?.client === client ? this.#home.step + 1 : this.#saved.step + 1;
      await this.#replay(step, asked, client, replay);
    }
  }

  async #replay(step: number, asked: Step<Row>, client: StateClient, replay: Replay<Row>): Promise<void> {
    const item = this.#since[step - this.#saved.step - 1]!;
    const sentAs = () => (asked.isOpen ? this.sentAs(step, false, client) : null);
    this.runBegan(client);
    try {
      const result = await replay(item, sentAs);
      // An aborted step has a successor, before which the state may have been put back.
      if (!asked.isOpen || result === null) return;
      if (result.ok) this.#home = { client, step };
      else this.#replayFailed(step, result);
    } catch (error) {
      // The other steps of the batch run without it.
      if (client.hasEnded) throw error;
      if (asked.isOpen) this.lost = sequenceLost(step, asError(error));
    } finally {
      this.runEnded();
    }
  }

  /** A worker that does not have the state that it had gets the last copy. */
  #replayFailed(step: number, result: FailedRun): void {
    if (isStateAway(result) && this.#home !== null) this.#home = null;
    else this.lost = sequenceLost(step, result.error);
  }

  /** Notes that a worker is sent a run with a step of the sequence. The state is not freed there before `runEnded`. */
  runBegan(client: StateClient): void {
    this.#last = client;
    this.#openRuns += 1;
  }

  runEnded(): void {
    this.#openRuns -= 1;
    this.#freeIfUnused();
  }

  /** Starts again from the initial state, as `reset`. Until the next step, nothing of the sequence is kept. */
  rest(): void {
    this.reset();
    this.end();
  }

  /** Ends the sequence: its worker drops the state once no run with a step of it is open. */
  end(): void {
    this.#mayBeDropped = true;
    for (const row of this.#since.splice(0)) this.#end(row);
    this.#freeIfUnused();
  }

  #freeIfUnused(): void {
    if (!this.#mayBeDropped || this.#openRuns > 0) return;
    this.#last?.notify({ endedSequence: this.#id });
    this.#last = null;
  }
}

/** A step of a sequence, beside its row in the queue and in batches. */
export class Step<Row = unknown> {
  readonly state: KeptState<Row>;
  /** Its number. That of an aborted step is used again. */
  readonly number: number;
  /** Whether its run returns the state after it. */
  readonly returns: boolean;
  /** Whether its caller waits for it. */
  isOpen = true;
  /** Whether the current attempt at its batch sends it. */
  isSent = false;
  /** The worker that has run it, and the state if that was returned; `null` before. */
  ran: { readonly client: StateClient; readonly state: StateData | null } | null = null;

  constructor(state: KeptState<Row>, number: number, returns: boolean) {
    this.state = state;
    this.number = number;
    this.returns = returns;
  }
}

/** A row with its step. */
export type Stepped<Row> = Row & { readonly step: Step<Row> };

/** Whether a row is a step of a sequence. */
export function isStepped<Row extends object>(row: Row): row is Stepped<Row> {
  return "step" in row && row.step instanceof Step;
}
