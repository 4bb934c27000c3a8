import type { ModelDatabase } from "../../store/model-database.js";
import type { LoadRequest, WorkerNotice } from "../../transport/protocol.js";
import { obtainFiles, type ModelFiles } from "../files/model-files.js";
import { deviceFinder } from "../ort/device.js";
import { EarlyRuntime } from "../ort/early-runtime.js";
import { canStream } from "../ort/runtime.js";
import { chooseWay, type ChosenWay } from "./chosen-way.js";
import type { TrialMeans } from "./trial.js";

/** A load whose slow parts are on their way. */
export interface StartedLoad {
  readonly way: ChosenWay;
  readonly means: TrialMeans;
  /** Rejects with the errors of `obtainFiles`. */
  readonly files: Promise<ModelFiles>;
}

/**
 * Starts the download of the model, then that of ONNX Runtime, once it is known how to run. Neither waits for the other.
 *
 * @param database `null` to store nothing
 */
export async function startLoad(
  asked: LoadRequest,
  database: ModelDatabase | null,
  say: (notice: WorkerNotice) => void,
): Promise<StartedLoad> {
  const files = obtainFiles(asked, database, canStream(), say);
  // Whoever waits for the files later gets the error.
  files.catch(() => undefined);
  const findDevice = deviceFinder(!asked.isAutomatic);
  const way = await chooseWay(asked, findDevice, database);
  return { way, means: { findDevice, early: new EarlyRuntime(way.request, findDevice) }, files };
}
