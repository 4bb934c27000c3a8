import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { WorkerNotice } from "../../transport/protocol.js";
import { type ModelSignature, outputNames } from "@framebatch/rows/model/signature.js";
import { nextTask } from "../ort/next-task.js";
import { runError } from "../ort/runtime-error.js";
import { fromOutputs, toFeeds } from "../ort/tensor-bridge.js";
import { rowsIn } from "../../verification/worker/items.js";
import { type DeviceTensors, type FeedsReply, NO_DEVICE_TENSORS } from "../session/feeds-reply.js";
import type { Backend } from "../session/trial.js";
import { failedReply, notLoaded } from "./replies.js";
import type { MemoryUse } from "../../groups/group-messages.js";
import type { KeptRows } from "../../kept/worker/kept-rows.js";
import type { OneRuntime } from "../session/started-load.js";
import type { RunLock } from "./run-lock.js";

/** What a model has in common with the other models of its worker. */
export interface CommonParts {
  /** Lets one model at a time call ONNX Runtime. */
  readonly lock: Pick<RunLock, "run" | "runWhenIdle">;
  readonly runtime: OneRuntime;
  /** Returns the model's share of the memory. @param fileBytes size of its files */
  readonly memory: (fileBytes: number) => MemoryUse;
  /** The tensors that rows of all models have left here. */
  readonly kept: KeptRows;
}

/** Keeps ONNX Runtime from writing a failure to the console. */
const QUIET = { logSeverityLevel: 4 } as const;

/** Runs feeds on the session of a model until the worker can run nothing more, which it tells the page once. */
export class SessionRuns {
  readonly #say: (notice: WorkerNotice) => void;
  readonly #memory: Pick<MemoryReport, "report">;
  /** The outputs of the model that has run last. */
  #outputs: { readonly of: ModelSignature | null; readonly names: readonly string[] } = { of: null, names: [] };
  /** Once set, nothing runs any more: a second run on a lost device can block the worker forever. */
  #lost: FramebatchError | null = null;

  /** @param memory may have grown in a run */
  constructor(say: (notice: WorkerNotice) => void, memory: Pick<MemoryReport, "report">) {
    this.#say = say;
    this.#memory = memory;
  }

  get areLost(): boolean {
    return this.#lost !== null;
  }

  /** @param backend `null` before a model is loaded @param isTrial whether its failure is nobody's concern */
  async run(
    backend: Backend | null,
    feeds: Readonly<Record<string, Tensor>>,
    { inputs, outputs }: DeviceTensors = NO_DEVICE_TENSORS,
    isTrial = false,
  ): Promise<FeedsReply> {
    if (this.#lost !== null) return failedReply(this.#lost, true);
    if (backend === null) return notLoaded();
    try {
      const { runtime, device, signature, session, original } = backend;
      const isAlone = original !== null && rowsIn(signature, { ...feeds, ...inputs }) === 1;
      const chosen = isAlone ? original : session;
      const startedAtMs = performance.now();
      if (this.#outputs.of !== signature) this.#outputs = { of: signature, names: outputNames(signature) };
      const stacked = toFeeds(runtime, feeds);
      const all = inputs === NO_DEVICE_TENSORS.inputs ? stacked : { ...stacked, ...inputs };
      const results = await chosen.run(all, outputs ?? this.#outputs.names, isTrial ? QUIET : undefined);
      // Outputs read back from a lost device are invalid. The event that reports the loss may still be queued.
      if (device !== null) await nextTask();
      const computed = fromOutputs(results);
      const inferenceMs = performance.now() - startedAtMs;
      this.#memory.report();
      return this.#lost === null ? { ok: true, outputs: computed, inferenceMs } : failedReply(this.#lost, true);
    } catch (thrown) {
      return this.failed(thrown);
    }
  }

  /** Returns the reply of a run that has thrown this. */
  readonly failed = (thrown: unknown): FeedsReply => {
    const { error, fatal } = runError(thrown);
    if (fatal) this.lose(error);
    return this.#lost === null ? failedReply(error, fatal) : failedReply(this.#lost, true);
  };

  lose(error: FramebatchError): void {
    if (this.#lost !== null) return;
    this.#lost = error;
    this.#say({ notice: "lost", error: encodeError(error) });
  }
}

/** Tells the page how much WebAssembly memory a model has. */
export class MemoryReport {
  readonly #heapBytes: () => number;
  readonly #share: ((fileBytes: number) => MemoryUse) | null;
  readonly #say: (notice: WorkerNotice) => void;
  #fileBytes = 0;
  /** The sizes in the last notice, added up. */
  #saidBytes = 0;

  /**
   * @param heapBytes returns the size of the WebAssembly memory
   * @param share returns the share in it of a model with files of this size; `null` if the model has all of it
   */
  constructor(
    heapBytes: () => number,
    share: ((fileBytes: number) => MemoryUse) | null,
    say: (notice: WorkerNotice) => void,
  ) {
    this.#heapBytes = heapBytes;
    this.#share = share;
    this.#say = say;
  }

  /** @param fileBytes size of the model's files, once it is loaded */
  loaded(fileBytes: number): void {
    this.#fileBytes = fileBytes;
    this.report();
  }

  /** Sends the sizes if one has grown. None shrinks. */
  report(): void {
    const use: MemoryUse = this.#share === null ? { bytes: this.#heapBytes() } : this.#share(this.#fileBytes);
    const bytes = use.bytes + (use.worker?.heapBytes ?? 0);
    if (bytes === this.#saidBytes) return;
    this.#saidBytes = bytes;
    this.#say({ notice: "memory", ...use });
  }
}
