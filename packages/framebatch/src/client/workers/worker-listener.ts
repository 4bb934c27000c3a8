import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ObtainedFile } from "../../transport/obtained-file.js";
import type { BatchCheck, ProgressNotice, TimedRun } from "../../transport/protocol.js";
import type { ProviderCheck } from "../../transport/provider-check.js";
import type { ExecutionProvider } from "../../transport/providers.js";

/** Receives the events of one worker. */
export interface WorkerListener {
  onProgress(progress: ProgressNotice): void;
  /** The worker has obtained the files of the model. Called before the first provider is tried. */
  onObtained(files: readonly ObtainedFile[], provider: ExecutionProvider | null): void;
  /** The cache holds these files, or will not hold them. */
  onStored(provider: ExecutionProvider | null): void;
  /** A background run of the warm-up, after the model is ready, has been timed. */
  onTimed(run: TimedRun): void;
  /** A check that was pending when the model became ready has completed. */
  onChecked(check: BatchCheck): void;
  /** The comparison of the provider's answers with those of WASM has come to a new outcome. */
  onCompared(check: ProviderCheck): void;
  /** A failure that affects no request. */
  onWarning(error: Error): void;
  /** The worker has died. Called once, after open calls were rejected with `error`; never if the owner ended it. */
  onDeath(error: FramebatchError): void;
}
