import type { Collator } from "../../core/collate/collator.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Batch, Engine, Outcome, WhenUnwanted } from "../../core/engine/engine.js";
import { FramebatchError } from "../../core/errors.js";
import type { Outputs, TensorInfo } from "../../core/tensor/tensor.js";
import type { Timer } from "../../core/clock.js";
import { runTimeoutFor } from "../../time/hang-watchdog.js";
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

/** Statuses that say nothing about the items of a batch, so that its parts would meet them too. */
const ABOUT_THE_SERVER = [401, 403, 404, 405, 408, 429, 502, 503, 504];

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
    { items, paddedSize, extents, predictedMs }: Batch<PreparedItem>,
    signal: AbortSignal,
  ): Promise<Outcome<Outputs>> {
    const { server, collator, outputs, runTimeoutMs, timer } = this.#parts;
    const feeds = collator.stack(items, paddedSize, extents);
    const startMs = timer.now();
    const answer = await server.infer(feeds, outputs, {
      signal,
      timeoutMs: runTimeoutFor(predictedMs, runTimeoutMs),
    });
    const inferenceMs = timer.now() - startMs;
    const results = collator.split(items, answer, paddedSize, extents);
    // The buffers can be reused: a batch that has results never runs again.
    collator.release(items);
    return { results, inferenceMs };
  }
}

function failed(error: unknown): Outcome<Outputs> {
  if (!(error instanceof FramebatchError)) {
    return { error: error instanceof Error ? error : new Error(String(error), { cause: error }), divisible: false };
  }
  const isAboutItems = error.code === "REMOTE_STATUS" && !ABOUT_THE_SERVER.includes(Number(error.details["status"]));
  const divisible = isAboutItems || error.code === "INVALID_INPUT" || error.code === "INFERENCE_FAILED";
  return { error, divisible, isRepeatable: divisible };
}
