import { BATCHER_OPTION_NAMES, checkBatcherOptions } from "@framebatch/batcher/options/batcher-checks.js";
import { checkPadding, checkValidate } from "../../client/options/model-options.js";
import {
  check,
  checkNames,
  checkSignal,
  integerFrom,
  isOptionsObject,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import type { BatcherOptions } from "@framebatch/batcher/options/options.js";
import type { ModelOptions } from "../../client/options/options.js";
import { type RemoteOptions, REMOTE_CHECKS } from "@framebatch/remote/server/remote-options.js";

/** Options of `createRemoteModel`: how to call the server, and how to batch. */
export interface RemoteModelOptions
  extends RemoteOptions, BatcherOptions, Pick<ModelOptions, "batchAxis" | "padding" | "validate" | "signal"> {
  /**
   * Maximum time for the answer to one batch, in milliseconds: an integer from 100 to 3,600,000. The batch then rejects
   * with `REMOTE_UNREACHABLE`. To limit the time of one request, set its `timeoutMs`.
   * @default 20 times the predicted time, at least 10000; 60000 while no time can be predicted
   * @example await createRemoteModel(url, { model: "digits", runTimeoutMs: 5000 });
   */
  readonly runTimeoutMs?: number;
  /**
   * Number of batches that the server answers in parallel: an integer from 1 to 16. Up to twice as many are sent.
   * @default 1
   * @example await createRemoteModel(url, { model: "digits", instances: 4 });
   */
  readonly instances?: number;
}

type OwnOptions = Omit<RemoteModelOptions, keyof BatcherOptions>;

const CHECKS: Readonly<Record<keyof OwnOptions, OptionCheck>> = {
  ...REMOTE_CHECKS,
  batchAxis: check(isOptionsObject, "an object of axes by tensor name", 'write { "image": 0 }'),
  padding: checkPadding,
  validate: checkValidate,
  runTimeoutMs: integerFrom(100, 3_600_000, "leave it out for a limit by measured run times"),
  instances: integerFrom(1, 16, "leave it out for 1"),
  signal: checkSignal,
};

const NAMES = [...Object.keys(CHECKS), ...BATCHER_OPTION_NAMES];

/**
 * Checks the options of a remote model.
 * @throws INVALID_OPTION when a value is not allowed, or a name does not exist.
 */
export function checkRemoteModelOptions(options: unknown): void {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, 'write { model: "digits" }');
  checkNames(options, NAMES);
  CHECKS.model(options["model"], "model");
  for (const [name, checkOption] of Object.entries(CHECKS)) {
    if (options[name] !== undefined) checkOption(options[name], name);
  }
  checkBatcherOptions(options);
}
