import type { Collator } from "@framebatch/rows/collate/collator.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Batch, Engine, Outcome, WhenUnwanted } from "@framebatch/batcher/engine/engine.js";
import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { statusTraits, type StatusTraits } from "@framebatch/batcher/errors/http-status.js";
import type { Outputs, Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { Timer } from "@framebatch/host/clock.js";
import { runTimeoutFor } from "@framebatch/host/watchdog.js";
import type { RemoteServer } from "./remote-server.js";

/** The parts of a remote engine. */
export interface RemoteEngineParts {
  readonly server: Pick<RemoteServer, "infer">;
  readonly collator: Collator;
  readonly outputs: readonly TensorInfo[];
  /** The option of this name; `null` for a limit by predicted times. */
  readonly runTimeoutMs: number | null;
  readonly timer: Timer;
}

/** Runs batches on a server, one request for each. Stops a request when no caller waits for its batch any more. */
export class RemoteEngine implements Engine<PreparedItem, Outputs> {
  readonly #parts: RemoteEngineParts;

  constructor(parts: RemoteEngineParts) {
    this.#parts = parts;
  }

  run(batch: Batch<PreparedItem>, done: (outcome: Outcome<Outputs>) => void, whenUnwanted: WhenUnwanted): void {
    const stop = new AbortController();
    whenUnwanted(() => stop.abort());
    void this.#run(batch, done, stop.signal);
  }

  async #run(
    batch: Batch<PreparedItem>,
    done: (outcome: Outcome<Outputs>) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let outcome: Outcome<Outputs>;
    try {
      outcome = await this.#answer(batch, signal);
    } catch (error) {
      outcome = failed(error);
    }
    done(outcome);
  }

  async #answer(
    { items, paddedSize, extents: given, isAlone, predictedMs }: Batch<PreparedItem>,
    signal: AbortSignal,
  ): Promise<Outcome<Outputs>> {
    const { server, collator, outputs, runTimeoutMs, timer } = this.#parts;
    // A server is trusted with padding: no item needs its own size, which the model may reject.
    const extents = isAlone ? items[0]!.shape.extents : given;
    const feeds = collator.stack(items, paddedSize, extents);
    const startMs = timer.now();
    const answer = await server.infer(feeds, outputs, {
      signal,
      timeoutMs: runTimeoutFor(predictedMs, runTimeoutMs),
    });
    const inferenceMs = timer.now() - startMs;
    const results = splitAnswer(() => collator.split(items, answer.outputs, paddedSize, extents));
    const unknown = answer.nulls.map(({ output, marks, error }) => {
      const rows = collator.split(items, { [output]: marks }, paddedSize, extents, (name) => name === output);
      return { error, isIn: rows.map((row) => isMarked(row[output])) };
    });
    const errors = items.map((_, row) => unknown.find(({ isIn }) => isIn[row])?.error);
    // The buffers can be reused: an item that has a result never runs again.
    collator.reader.release(items.filter((_, row) => errors[row] === undefined));
    return { results: results.map((result, row) => errors[row] ?? result), inferenceMs };
  }
}

/** @throws REMOTE_INVALID when an answer of the protocol does not fit its batch */
function splitAnswer<T>(split: () => T): T {
  try {
    return split();
  } catch (error) {
    if (!(error instanceof FramebatchError)) throw error;
    throw new FramebatchError("REMOTE_INVALID", `the server's answer: ${error.message}`, {
      cause: error,
      details: error.details,
    });
  }
}

function isMarked(marks: Tensor | undefined): boolean {
  const data: ArrayLike<unknown> = marks?.data ?? [];
  return Array.prototype.includes.call(data, 1);
}

function failed(error: unknown): Outcome<Outputs> {
  if (error instanceof RangeError) return failed(noMemory(error));
  if (!(error instanceof FramebatchError)) {
    return { error: asError(error), divisible: false };
  }
  const blamed = blamedBy(error);
  // What is unclear may pass: only a run of the item alone shows it.
  return { error, divisible: blamed !== "server", isRepeatable: blamed === "items" };
}

function blamedBy({ code, details }: FramebatchError): StatusTraits["blames"] {
  // A smaller batch may fit into memory.
  if (code === "OUT_OF_MEMORY") return "unclear";
  if (code === "REMOTE_STATUS") return statusTraits(Number(details["status"])).blames;
  return code === "INVALID_INPUT" ? "items" : "server";
}

/** The engine throws a RangeError for an array or a text that is too long: those of a smaller batch may not be. */
function noMemory(cause: RangeError): FramebatchError {
  const message = `expected memory for a request with the batch, got a failure (${cause.message}); lower maxBatchSize`;
  return new FramebatchError("OUT_OF_MEMORY", message, { cause });
}
