import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { WorkerNotice } from "../../transport/protocol.js";
import { runError } from "../ort/runtime-error.js";
import { type DeviceTensors, NO_DEVICE_TENSORS } from "../session/device-tensors.js";
import type { FeedsReply } from "../session/feeds-reply.js";
import type { Backend } from "../session/trial.js";
import { failedReply, notLoaded } from "./replies.js";
import { runSession } from "./run-session.js";

/** Runs feeds on the session of a model until the worker can run nothing more, which it tells the page once. */
export class SessionRuns {
  readonly #say: (notice: WorkerNotice) => void;
  readonly #onRun: () => void;
  /** Once set, nothing runs any more: a second run on a lost device can block the worker forever. */
  #lost: FramebatchError | null = null;

  /** @param onRun called after each run that has succeeded */
  constructor(say: (notice: WorkerNotice) => void, onRun: () => void) {
    this.#say = say;
    this.#onRun = onRun;
  }

  get areLost(): boolean {
    return this.#lost !== null;
  }

  /** @param backend `null` before a model is loaded */
  async run(
    backend: Backend | null,
    feeds: Readonly<Record<string, Tensor>>,
    tensors: DeviceTensors = NO_DEVICE_TENSORS,
  ): Promise<FeedsReply> {
    if (this.#lost !== null) return failedReply(this.#lost, true);
    if (backend === null) return notLoaded();
    try {
      const reply = await runSession(backend, feeds, tensors);
      this.#onRun();
      return this.#lostOr(reply);
    } catch (thrown) {
      return this.failed(thrown);
    }
  }

  /** Returns the reply of a run that has thrown this. */
  failed(thrown: unknown): FeedsReply {
    const { error, fatal } = runError(thrown);
    if (fatal) this.lose(error);
    return this.#lostOr(failedReply(error, fatal));
  }

  #lostOr(reply: FeedsReply): FeedsReply {
    return this.#lost === null ? reply : failedReply(this.#lost, true);
  }

  lose(error: FramebatchError): void {
    if (this.#lost !== null) return;
    this.#lost = error;
    this.#say({ notice: "lost", error: encodeError(error) });
  }
}
