import type { ModelDatabase } from "../../store/model-database.js";
import type { LoadRequest, Trial, WorkerNotice } from "../../transport/protocol.js";
import { ArrivingSize } from "../files/arriving-size.js";
import type { AcceptedModel } from "../graph/accepted-model.js";
import { obtainFiles, type ModelFiles } from "../files/model-files.js";
import { deviceFinder, type DeviceFinder } from "../ort/device.js";
import { EarlyRuntime } from "../ort/early-runtime.js";
import { canStream } from "../../transport/runtime-builds.js";
import { chooseWay, type ChosenWay, LARGE_BYTES } from "./chosen-way.js";
import type { OneRuntime } from "./one-runtime.js";
import { withOwnFiles } from "./own-files.js";
import type { TrialMeans } from "./trial.js";
import type { ProviderCheck } from "../../transport/provider-check.js";
import { isCompared, readProviderCheck } from "../files/known-provider-check.js";

/** A load whose slow parts are on their way. */
export interface StartedLoad {
  readonly way: ChosenWay;
  readonly means: TrialMeans;
  /** Rejects with the errors of `obtainFiles`. */
  readonly files: Promise<ModelFiles>;
}

/**
 * Starts the download of the model, then that of ONNX Runtime, once it is known how to run. Neither waits for the other,
 * unless each provider has a file of its own.
 *
 * @param database `null` to store nothing
 * @param trials receives those of providers that this browser lacks, where each has a file of its own, and of those whose
 * answers are known to be wrong
 * @param common has the runtime of all models of this worker, which run in one way; `null` if this is the only model
 * @param end ends the downloads of the model, and starts no ONNX Runtime of its own
 * @throws the errors of `withOwnFiles`
 */
export async function startLoad(
  asked: LoadRequest,
  database: ModelDatabase | null,
  trials: Trial[],
  say: (notice: WorkerNotice) => void,
  common: { readonly runtime: OneRuntime } | null,
  { signal: end }: Pick<AbortController, "signal">,
): Promise<StartedLoad> {
  const size = new ArrivingSize(LARGE_BYTES, say);
  const needs = plainNeeds(size.isLarge);
  const obtain = (request: LoadRequest) => {
    const onRead = ({ plainOperator, externalPaths }: AcceptedModel) => {
      needs.tell(plainOperator !== null);
      size.read(externalPaths.length > request.externalData.length);
    };
    const files = obtainFiles(request, database, canStream(), size.hear, onRead, end);
    // Whoever waits for the files later gets the error.
    files.catch(() => needs.tell(false));
    return files;
  };
  const files = asked.variants.length === 0 ? obtain(asked) : null;
  size.endsWith(files);
  const findDevice = deviceFinder(!asked.isAutomatic);
  const { request, known } = await withoutWrongProviders(asked, findDevice, database, trials);
  const chosen = await chooseWay(request, findDevice, common === null ? database : null, size.isLarge);
  const way = await withOwnFiles({ ...chosen, knownCheck: known }, findDevice, trials);
  const arriving = files ?? obtain(way.request);
  const { isPlain } = needs;
  const early =
    common?.runtime.startedFor(way.request, findDevice, isPlain) ??
    new EarlyRuntime(way.request, findDevice, isPlain, end);
  return { way, means: { findDevice, early }, files: arriving };
}

/** Whether a model runs only in the build of ONNX Runtime without a GPU. */
interface PlainNeeds {
  /** Resolves to `false` for a large model that has not arrived: the others need not wait for what few models need. */
  readonly isPlain: Promise<boolean>;
  tell(isPlain: boolean): void;
}

function plainNeeds(isLarge: Promise<boolean | null>): PlainNeeds {
  let tell: PlainNeeds["tell"] = () => undefined;
  const isPlain = new Promise<boolean>((resolve) => (tell = resolve));
  void isLarge.then((is) => is === true && tell(false));
  return { isPlain, tell };
}

/** A request, and what earlier visits have found about the provider that it begins with, or that it has left out. */
interface JudgedRequest {
  readonly request: LoadRequest;
  readonly known: ProviderCheck | null;
}

/**
 * Leaves the providers out whose answers an earlier visit has found wrong, unless there is no other one, and adds their
 * trials to `trials`.
 */
async function withoutWrongProviders(
  request: LoadRequest,
  findDevice: DeviceFinder,
  database: ModelDatabase | null,
  trials: Trial[],
): Promise<JudgedRequest> {
  if (database === null) return { request, known: null };
  for (const provider of request.providers.filter((each) => isCompared(each, request))) {
    const device = await findDevice(provider);
    if ("missing" in device) continue;
    const known = await readProviderCheck(request, provider, device.name, database);
    const providers = request.providers.filter((other) => other !== provider);
    if (known?.outcome !== "failed" || providers.length === 0) return { request, known };
    trials.push({ provider, chosen: false, reason: known.reason });
    return { request: { ...request, providers }, known };
  }
  return { request, known: null };
}
