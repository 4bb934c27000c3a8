import type { OneRuntime } from "../session/one-runtime.js";
import type { RunLock } from "./run-lock.js";

/** What a worker with several models has only one of. */
export interface CommonParts {
  /** Lets one model at a time call ONNX Runtime. */
  readonly lock: Pick<RunLock, "run" | "runWhenIdle">;
  readonly runtime: OneRuntime;
}
