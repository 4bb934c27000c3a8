import type { Clock } from "../../core/clock.js";
import type { ExecutionProvider } from "../../core/providers.js";
import type { CompletedBatch } from "../../core/queue/request.js";
import type { LoadOptions } from "../options/options.js";
import type { DeviceSize } from "../page/host.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import { InstanceTrial, type InstanceStep } from "./instance-trial.js";

const MIN_PROCESSORS = 2;
const MIN_MEMORY_GIB = 4;

/**
 * Whether a model may try a second worker. On a GPU, a second worker shares the device with the first. With several
 * threads, one worker already uses several processors.
 */
export function mayTrySecondWorker(
  { instances, numThreads = 1 }: Pick<LoadOptions, "instances" | "numThreads">,
  { session: { model } }: { readonly session: { readonly model: { readonly provider: ExecutionProvider } } },
  { processors, memoryGiB }: DeviceSize,
): boolean {
  return (
    instances === "auto" &&
    numThreads === 1 &&
    model.provider === "wasm" &&
    processors >= MIN_PROCESSORS &&
    (memoryGiB === null || memoryGiB >= MIN_MEMORY_GIB)
  );
}

/** Carries out the steps of an `InstanceTrial` on a pool that starts with one worker. */
export class SecondWorker {
  readonly #pool: Pick<WorkerPool, "grow" | "shrink" | "use" | "state">;
  readonly #clock: Pick<Clock, "now">;
  readonly #trial = new InstanceTrial();

  constructor(pool: Pick<WorkerPool, "grow" | "shrink" | "use" | "state">, clock: Pick<Clock, "now">) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /** Records an answered batch. */
  ran(batch: CompletedBatch): void {
    this.#take(this.#trial.ran(batch));
  }

  #take(step: InstanceStep | null): void {
    if (step === "start") void this.#start();
    else if (step === "end") void this.#pool.shrink();
    else if (step !== null) this.#pool.use(step === "use one" ? 1 : 2);
  }

  /** Without a second worker, the model runs on the first one as before. */
  async #start(): Promise<void> {
    try {
      await this.#pool.grow();
    } catch {
      return;
    }
    if (this.#pool.state === "ready") this.#take(this.#trial.started(this.#clock.now()));
    else await this.#pool.shrink();
  }
}
