import type { Batch } from "@framebatch/batcher/engine/engine.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { SentStep } from "../sequence-messages.js";
import type { PreparedBatch } from "../../client/engine/model-engine.js";
import type { PendingRun, RunResult } from "../../client/workers/pending-runs.js";
import { type Replay, type StateClient, isStepped, type Step, type Stepped } from "./kept-state.js";
import { isStateAway, stateAway } from "./sequence-errors.js";

/** A batch that is ready to be sent, to anything that holds states. */
export interface PreparedSteps<Result, Client> extends Omit<PreparedBatch<Result>, "runOn"> {
  readonly runOn: (client: Client, run: PendingRun) => Promise<RunResult>;
}

/** How rows reach a worker. */
export interface StepSender<Row, Result, Client> {
  /** Prepares a batch, which sends the rows that `isSent` names by `sendSteps`. */
  readonly prepare: (batch: Batch<Row>) => PreparedSteps<Result, Client>;
  /**
   * Runs one earlier step again.
   * @param batch needs the state after it
   * @param sentAs called when it is sent; returns `null` if nobody needs it any more
   * @returns `null` if it was not sent
   */
  readonly replay: (
    row: Row,
    batch: Batch<Row>,
    sentAs: () => SentStep | null,
    client: Client,
    run: PendingRun,
  ) => Promise<RunResult | null>;
}

/** How often a batch is sent again because the worker did not have a state. */
const MAX_REPEATS = 2;

/** Hands batches with steps of sequences to workers, and restores states where a worker has none. */
export class StepBatches<Row extends object, Result, Client extends StateClient> {
  readonly #sender: StepSender<Row, Result, Client>;

  constructor(sender: StepSender<Row, Result, Client>) {
    this.#sender = sender;
  }

  prepare(batch: Batch<Row>): PreparedSteps<Result, Client> {
    const { items } = batch;
    const prepared = this.#sender.prepare(batch);
    const steps = items.filter(isStepped<Row>);
    if (steps.length === 0) return prepared;
    return {
      // A comparison of two ways to run would advance states in two workers.
      mayRepeat: false,
      runOn: (client, run) => this.#runOn(client, run, steps, batch, prepared),
      resultsOf: (reply) => prepared.resultsOf(reply).map((result, index) => lossOf(items[index]) ?? result),
    };
  }

  /**
   * No await if no state has to be restored: the worker then receives the batch in the same turn of the event loop.
   * Another run may show meanwhile that the worker does not have a state: it is then restored again.
   */
  async #runOn(
    client: Client,
    run: PendingRun,
    steps: readonly Stepped<Row>[],
    batch: Batch<Row>,
    prepared: PreparedSteps<Result, Client>,
  ): Promise<RunResult> {
    for (let left = MAX_REPEATS; ; left--) {
      for (let away = awayFrom(client, steps); away.length > 0; away = awayFrom(client, steps))
        await this.#restore(away, batch, client, run);
      for (const { step } of steps) step.isSent = step.isOpen && step.state.lost === null;
      const result = await prepared.runOn(client, run);
      if (left === 0 || !isStateAway(result)) return result;
    }
  }

  /** One state after the other: the worker has one run of a job at a time. */
  async #restore(away: readonly Stepped<Row>[], batch: Batch<Row>, client: Client, run: PendingRun): Promise<void> {
    const replay: Replay<Row> = (row, sentAs) => this.#sender.replay(row, batch, sentAs, client, run);
    for (const { step } of away) await step.state.restore(step, client, replay);
  }
}

/** Returns the steps that a worker cannot run yet, although they could run and somebody waits for them. */
function awayFrom<Row extends object>(client: StateClient, steps: readonly Stepped<Row>[]): Stepped<Row>[] {
  return steps.filter(
    ({ step: { isOpen, state, number } }) => isOpen && state.lost === null && !state.isReadyFor(number, client),
  );
}

/** Whether an attempt sends a row, as far as its sequence is concerned; `null` if it has none. */
export function isSentStep(row: object): boolean | null {
  return isStepped(row) ? row.step.isSent : null;
}

/**
 * Sends rows with what their worker needs to know of their steps, and notes what has become of these. A step whose
 * caller has left while its batch was made ready runs as a row without a sequence: its successor may have been sent
 * before it.
 */
export async function sendSteps(
  rows: readonly object[],
  client: StateClient,
  send: (steps: (SentStep | null)[]) => Promise<RunResult>,
): Promise<RunResult> {
  const steps = rows.map((row) => (isStepped(row) && row.step.isOpen ? row.step : null));
  if (!steps.every((step) => step === null || step.state.isReadyFor(step.number, client)))
    return { ok: false, error: stateAway(), isUnsent: true };
  const sent = steps.map((step) => step?.state.sentAs(step.number, step.returns, client) ?? null);
  for (const step of steps) step?.state.runBegan(client);
  try {
    const result = await send(sent);
    noteResult(steps, client, result);
    return result;
  } finally {
    for (const step of steps) step?.state.runEnded();
  }
}

function noteResult(steps: readonly (Step<object> | null)[], client: StateClient, result: RunResult): void {
  for (const [index, step] of steps.entries()) {
    if (step === null) continue;
    if (hasRun(result, index)) step.ran = { client, state: stateIn(result, index) };
    else if (isStateAway(result)) step.state.forgetHome();
  }
}

function hasRun(result: RunResult, index: number): boolean {
  return result.ok && !("outcomes" in result.reply && "error" in result.reply.outcomes[index]!);
}

function stateIn(result: RunResult, index: number) {
  return result.ok && "states" in result.reply ? (result.reply.states?.[index] ?? null) : null;
}

function lossOf(row: object | undefined): FramebatchError | null {
  return row !== undefined && isStepped(row) ? row.step.state.lost : null;
}
