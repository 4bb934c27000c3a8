import type { KeptRows } from "../kept/kept-rows.js";
import type { OneRuntime } from "../session/one-runtime.js";
import type { RunLock } from "./run-lock.js";

/** What a worker with several models has only one of. */
export interface CommonParts {
  /** Lets one model at a time call ONNX Runtime. */
  readonly lock: Pick<RunLock, "run" | "runWhenIdle">;
  readonly runtime: OneRuntime;
  /** The tensors that rows of all models have left here. */
  readonly kept: KeptRows;
}
