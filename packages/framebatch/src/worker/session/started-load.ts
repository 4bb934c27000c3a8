import type { ModelDatabase } from "../../store/model-database.js";
import type { LoadRequest, Trial, WorkerNotice } from "../../transport/protocol.js";
import type { AcceptedModel } from "../graph/accepted-model.js";
import { type ModelFiles, obtainFiles } from "../files/model-files.js";
import { deviceFinder, type DeviceFinder } from "../ort/device.js";
import { type DecidedRequest, EarlyRuntime } from "../ort/early-runtime.js";
import { type ExecutionProvider, type ProviderCheck } from "../../transport/providers.js";
import { canStream } from "../../transport/runtime-builds.js";
import { chooseWay, type ChosenWay, LARGE_BYTES } from "../../ways/worker/chosen-way.js";
import type { TrialMeans } from "./trial.js";
import { isCompared, readProviderCheck } from "../files/known-model.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/** How a load runs. */
export interface JudgedWay extends ChosenWay {
  /** What earlier visits have found about the answers of a provider; `null` if nothing. */
  readonly knownCheck: ProviderCheck | null;
}

/** A load whose slow parts are on their way. */
interface StartedLoad {
  readonly way: JudgedWay;
  readonly means: TrialMeans;
  /** Rejects with the errors of `obtainFiles`. */
  readonly files: Promise<ModelFiles>;
}

/**
 * Starts the download of the model, then that of ONNX Runtime, once it is known how to run. Neither waits for the
 * other, unless each provider has a file of its own.
 *
 * @param database `null` to store nothing
 * @param trials receives those of providers that this browser lacks, where each has a file of its own, and of those
 * whose answers are known to be wrong
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
  const judged = await withoutWrongProviders(asked, findDevice, database, trials);
  const chosen = await chooseWay(judged.request, findDevice, common === null ? database : null, size.isLarge);
  const request = await withOwnFiles(chosen.request, findDevice, trials);
  const arriving = files ?? obtain(request);
  const { isPlain } = needs;
  const early =
    common?.runtime.startedFor(request, findDevice, isPlain) ?? new EarlyRuntime(request, findDevice, isPlain, end);
  return { way: { ...chosen, request, knownCheck: judged.known }, means: { findDevice, early }, files: arriving };
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

/** Tells whether a model is large, mostly before its files have arrived. */
export class ArrivingSize {
  /**
   * Resolves as soon as the servers have told the length of all files to which the model refers, as many bytes have
   * arrived, or the download has ended; to `null` if it fails, or if it starts only once it is known how to run.
   */
  readonly isLarge: Promise<boolean | null>;
  readonly #leastBytes: number;
  readonly #say: (notice: WorkerNotice) => void;
  #tell: (isLarge: boolean | null) => void = () => undefined;
  /** Whether the model has arrived, and so all files are known. */
  #areAllKnown = false;
  #isTotal = false;

  /**
   * @param leastBytes the size of all files from which a model counts as large, in bytes
   * @param say receives the notices of the download
   */
  constructor(leastBytes: number, say: (notice: WorkerNotice) => void) {
    this.#leastBytes = leastBytes;
    this.#say = say;
    this.isLarge = new Promise((resolve) => (this.#tell = resolve));
  }

  /** Receives a notice of the download, and passes it on. */
  readonly hear = (notice: WorkerNotice): void => {
    if (notice.notice === "progress")
      this.#arrived(notice.totalBytes ?? notice.loadedBytes, notice.totalBytes !== null);
    this.#say(notice);
  };

  /** The model has arrived. @param hasMore whether it refers to files that the page has not named */
  read(hasMore: boolean): void {
    this.#areAllKnown = true;
    if (!hasMore && this.#isTotal) this.#tell(false);
  }

  /** Waits for the end of the download. @param files `null` if it starts only once it is known how to run */
  endsWith(files: Promise<Pick<ModelFiles, "totalBytes">> | null): void {
    if (files === null) return this.#tell(null);
    files.then(
      ({ totalBytes }) => this.#tell(totalBytes >= this.#leastBytes),
      () => this.#tell(null),
    );
  }

  #arrived(bytes: number, isAll: boolean): void {
    this.#isTotal = isAll;
    if (bytes >= this.#leastBytes) this.#tell(true);
    else if (isAll && this.#areAllKnown) this.#tell(false);
  }
}

/**
 * Chooses the files of the first provider that this browser supports, where each provider has its own. Only these are
 * fetched. Leaves the providers before it out, and adds their trials to `trials`.
 * @throws UNSUPPORTED when this browser supports none
 */
async function withOwnFiles<Request extends LoadRequest>(
  request: Request,
  findDevice: DeviceFinder,
  trials: Trial[],
): Promise<Request> {
  if (request.variants.length === 0) return request;
  for (const [index, provider] of request.providers.entries()) {
    const device = await findDevice(provider);
    const variant = request.variants.find((own) => own.provider === provider);
    if (variant !== undefined && !("missing" in device)) {
      const { location, externalData, integrity } = variant;
      return { ...request, location, externalData, integrity, providers: request.providers.slice(index) };
    }
    trials.push({ provider, chosen: false, reason: "missing" in device ? device.missing : "it has no file" });
  }
  throw noneWorks(trials);
}

/**
 * Returns the providers that this worker may try. One with other files is tried in another worker, which fetches them.
 */
export function providersHere({ providers, variants }: LoadRequest): readonly ExecutionProvider[] {
  return variants.length > 0 ? providers.slice(0, 1) : providers;
}

/** Returns the error for a model that runs on no provider. */
export function noneWorks(trials: readonly Trial[]): FramebatchError {
  const last = trials.at(-1);
  return new FramebatchError("UNSUPPORTED", `no execution provider works here: ${last?.provider}: ${last?.reason}`);
}

/**
 * The one ONNX Runtime of a worker with several models, which the first load starts. Beside a GPU, those that run only
 * in the build without one share a second one.
 */
export class OneRuntime {
  readonly #onStarted: () => void;
  readonly #onBroken: () => void;
  #early: EarlyRuntime | null = null;

  /** @param onBroken called when it cannot start. A failed start cannot be repeated in the same worker. */
  constructor(onStarted: () => void, onBroken: () => void) {
    this.#onStarted = onStarted;
    this.#onBroken = onBroken;
  }

  /** `null` before the first load. */
  get early(): EarlyRuntime | null {
    return this.#early;
  }

  /** See `EarlyRuntime`. */
  startedFor(request: DecidedRequest, findDevice: DeviceFinder, isPlain: Promise<boolean>): EarlyRuntime {
    if (this.#early !== null) return this.#early;
    this.#early = new EarlyRuntime(request, findDevice, isPlain, null);
    this.#early.whenStarted(this.#onStarted, this.#onBroken);
    return this.#early;
  }
}
