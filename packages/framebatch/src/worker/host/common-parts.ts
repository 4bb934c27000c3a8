import type { MemoryUse } from "../../groups/group-messages.js";
import type { KeptRows } from "../../kept/worker/kept-rows.js";
import type { OneRuntime } from "../session/one-runtime.js";
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
