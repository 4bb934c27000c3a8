import { checkBatcherOptions } from "@framebatch/batcher/options/batcher-checks.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { checkExclusions } from "../../client/options/excluded-options.js";
import { checkModelOptions } from "../../client/options/model-options.js";
import type { Item, RemoteMode } from "../../client/options/model.js";
import {
  check,
  checkNames,
  integerFrom,
  isAddress,
  isOptionsObject,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import type { ModelOptions } from "../../client/options/options.js";
import { REMOTE_CHECKS, type RemoteOptions } from "@framebatch/remote/server/remote-options.js";
import type { RemoteModelOptions } from "./remote-model-options.js";

/** The server of a model that runs on the device, too, and when to ask it. */
export interface RemoteSideOptions extends RemoteOptions, Pick<RemoteModelOptions, "instances"> {
  /**
   * Address of the server, without `/v2`, resolved against the page.
   * @example await createBatchedModel("/digits.onnx", { remote: { url: "https://inference.example", model: "digits" }
   * });
   */
  readonly url: string | URL;
  /**
   * Which side answers:
   * - `"only-on-device"`: the device. The server is never asked.
   * - `"prefer-on-device"`: the device. The server answers if the model cannot be loaded here, while a lost worker is
   *   replaced, and in place of each run that fails and each request that the device rejects with `OVERLOADED`, as one
   *   that would miss `maxLatencyMs`.
   * - `"prefer-in-cloud"`: the server. The device answers in place of each request that the server fails or rejects,
   *   and all requests while the server does not answer.
   * - `"only-in-cloud"`: the server. No worker is started, and the model is not loaded.
   * @default "prefer-on-device"
   * @example await createBatchedModel(url, { remote: { url: "/inference", model: "digits", mode: "prefer-in-cloud" }
   * });
   */
  readonly mode?: RemoteMode;
  /**
   * Maximum number of requests in one batch for the server: an integer from 1 to 4096. The protocol does not tell a
   * server's own limit.
   * @default the model's `maxBatchSize`
   * @example await createBatchedModel(url, { remote: { url: "/inference", model: "digits", maxBatchSize: 16 } });
   */
  readonly maxBatchSize?: number;
  /**
   * Maximum time for the server's answer to one batch, in milliseconds: an integer from 100 to 3,600,000. Then the
   * device answers, or the batch rejects with `REMOTE_UNREACHABLE`. A request with `timeoutMs` or `maxLatencyMs` moves
   * to a device that is ready after half of it, if the server has answered no request meanwhile.
   * @default 10000
   * @example await createBatchedModel(url, { remote: { url: "/inference", model: "digits", runTimeoutMs: 2000 } });
   */
  readonly runTimeoutMs?: number;
}

/** Options of `createBatchedModel` for a model that runs on the device and on a server. */
export interface HybridModelOptions<Input = Item> extends Omit<ModelOptions<Input>, "remote" | "outputs"> {
  /**
   * The server, and when to ask it. It must serve the same model: its metadata must have the same names, types and
   * dims.
   * @example await createBatchedModel("/digits.onnx", { remote: { url: "https://inference.example", model: "digits" }
   * });
   */
  readonly remote: RemoteSideOptions;
}

const MODES: readonly RemoteMode[] = ["only-on-device", "prefer-on-device", "prefer-in-cloud", "only-in-cloud"];

const DEFAULT_RUN_TIMEOUT_MS = 10_000;

/** A relative address: no file of the package holds one of another host. */
const EXAMPLE = 'write { url: "/inference", model: "digits" }';

const CHECKS: Readonly<Record<keyof RemoteSideOptions, OptionCheck>> = {
  ...REMOTE_CHECKS,
  url: check(isAddress, "the address of a server", EXAMPLE),
  mode: check(
    (value) => MODES.some((mode) => mode === value),
    MODES.map((mode) => `"${mode}"`).join(", "),
    'leave it out for "prefer-on-device"',
  ),
  maxBatchSize: integerFrom(1, 4096, "leave it out for that of the model"),
  runTimeoutMs: integerFrom(100, 3_600_000, "leave it out for 10000"),
  instances: integerFrom(1, 16, "leave it out for 1"),
};

/**
 * Checks the options of a model with the option `remote`, those of both sides.
 * @throws INVALID_OPTION when a value is not allowed, or a name does not exist.
 */
export function checkHybridOptions(options: HybridModelOptions): void {
  const { remote, ...local } = options;
  const outputs: unknown = Reflect.get(local, "outputs");
  if (outputs !== undefined) {
    const fix = "leave one of them out: a server returns all outputs";
    throw optionError("outputs", "no value, because remote is set", outputs, fix);
  }
  const worker: unknown = local.worker;
  if (worker !== undefined) {
    throw optionError(
      "worker",
      "no value, because remote is set",
      worker,
      "leave one of them out: a server has no handlers",
    );
  }
  checkExclusions({ ...local, remote });
  checkModelOptions(local);
  checkRemote(remote);
  checkBatcherOptions(remoteModelOptions(options));
}

function checkRemote(remote: unknown): void {
  if (!isOptionsObject(remote)) throw optionError("remote", "an object", remote, EXAMPLE);
  checkNames(remote, Object.keys(CHECKS), "remote.");
  for (const [name, checkOption] of Object.entries(CHECKS)) {
    const isRequired = name === "url" || name === "model";
    if (isRequired || remote[name] !== undefined) checkOption(remote[name], `remote.${name}`);
  }
}

/** Returns the options of the server's side as those of a model that has no other. */
export function remoteModelOptions({ remote, ...shared }: HybridModelOptions): RemoteModelOptions {
  const { instances = 1, runTimeoutMs = DEFAULT_RUN_TIMEOUT_MS } = remote;
  return { ...shared, ...remote, instances, runTimeoutMs };
}
