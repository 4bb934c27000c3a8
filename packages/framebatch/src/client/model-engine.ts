import type { Collator } from "../core/collator.js";
import type { Batch, Engine, Outcome } from "../core/engine.js";
import { FramebatchError } from "../core/errors.js";
import type { Row } from "../core/row.js";
import type { Outputs } from "./model.js";
import type { Supervisor } from "./supervisor.js";
import type { LivingReply } from "./worker-handle.js";

/** Runs batches of rows on the workers of one model. */
export class ModelEngine implements Engine<Row, Outputs> {
  readonly #collator: Collator;
  readonly #seats: readonly Seat[];

  constructor(collator: Collator, supervisors: readonly Supervisor[]) {
    this.#collator = collator;
    this.#seats = supervisors.map((supervisor) => ({ supervisor, inFlight: 0 }));
  }

  run(batch: Batch<Row>, done: (outcome: Outcome<Outputs>) => void): void {
    void this.#run(batch, done);
  }

  async #run(batch: Batch<Row>, done: (outcome: Outcome<Outputs>) => void): Promise<void> {
    done(await this.#outcome(batch));
  }

  async #outcome(batch: Batch<Row>): Promise<Outcome<Outputs>> {
    const seat = bestSeat(this.#seats);
    seat.inFlight += 1;
    try {
      // Stacked anew for each attempt: what was sent has left this thread.
      const reply = await seat.supervisor.run(() => this.#collator.stack(batch.items, batch.paddedSize, batch.extents));
      return this.#outcomeOf(batch, reply);
    } catch (error) {
      return { error: asError(error), divisible: false };
    } finally {
      seat.inFlight -= 1;
    }
  }

  #outcomeOf({ items, paddedSize, extents }: Batch<Row>, reply: LivingReply): Outcome<Outputs> {
    if (!reply.ok) return { error: reply.error, divisible: true };
    try {
      const results = this.#collator.split(items, reply.outputs, paddedSize, extents);
      return { results, inferenceMs: reply.inferenceMs };
    } catch (error) {
      return { error: asError(error), divisible: true };
    }
  }
}

/** One worker, and how many batches it has not answered. */
interface Seat {
  readonly supervisor: Supervisor;
  inFlight: number;
}

/** The least busy worker of those in the best state; there is always one worker. */
function bestSeat(seats: readonly Seat[]): Seat {
  return seats.reduce((best, seat) => (burden(seat) < burden(best) ? seat : best));
}

function burden({ supervisor, inFlight }: Seat): number {
  if (supervisor.hasFailed) return Infinity;
  return supervisor.isReady ? inFlight : inFlight + 1e6;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new FramebatchError("INFERENCE_FAILED", String(error), { cause: error });
}
