import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { ExternalFile, LoadRequest, ModelLocation, ObtainedFile, WorkerNotice } from "../../transport/protocol.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { BYTES_PER_MS, ModelCache } from "../../store/model-cache.js";
import type { ModelDatabase } from "../../store/model-database.js";
import { ModelFacts } from "../../store/model-facts.js";
import { Deadline } from "@framebatch/host/deadline.js";
import { type AcceptedModel, acceptModel } from "../graph/accepted-model.js";
import type { SizeLimit } from "./download-errors.js";
import { DownloadLock, type Locks } from "./download-lock.js";
import { filesBeside, notBeside } from "./files-beside.js";
import { ModelProfileStore } from "./model-profile.js";
import { ModelStore, type ModelStoreConfig, type StoredFile } from "./model-store.js";
import { ProgressSum } from "./progress-sum.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/** Maximum size of a file that is read whole, in bytes: that of an ONNX file, and about that of an `ArrayBuffer`. */
const WHOLE_BYTES = 2 ** 31;

/** How long a failed load waits for the cache before it continues in another worker, in milliseconds. */
const KEEPING_MS = 2000;

/**
 * External weights of a model, in the form that ONNX Runtime accepts. Its build with JavaScript Promise Integration
 * reads each weight when it needs it; the others read the whole file into the heap.
 */
export interface ExternalWeights {
  readonly path: string;
  readonly data: Blob;
}

/** The bytes of a model with the versions that ONNX Runtime takes, and what they show. */
interface ReadModel {
  readonly bytes: ArrayBuffer;
  readonly accepted: AcceptedModel;
}

/** The files of a model, for another session of it. Does not keep the bytes of the model in this worker's memory. */
export interface ModelCopy {
  /** Returns the bytes with the versions that ONNX Runtime takes. They belong to the caller. */
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
  readonly externalData: readonly ExternalWeights[];
}

/** All files of a model, and its facts. */
export class ModelFiles {
  /** The bytes of the model, with the versions that ONNX Runtime takes. */
  readonly bytes: ArrayBuffer;
  readonly accepted: AcceptedModel;
  readonly externalData: readonly ExternalWeights[];
  readonly facts: ModelProfileStore;
  readonly #files: readonly StoredFile[];
  readonly #given: number;
  readonly #request: LoadRequest;
  /** Resolves when each digest was computed that can be. */
  readonly identified: Promise<void>;
  #tellIdentified: () => void = () => undefined;
  #tellKept: (digests: readonly (string | null)[]) => void = () => undefined;

  /**
   * @param files the model and its external files, in the order of the request
   * @param given number of files that the page has named: the others were found beside the model
   */
  constructor(
    request: LoadRequest,
    { bytes, accepted }: ReadModel,
    files: readonly StoredFile[],
    facts: ModelFacts | null,
    given: number,
  ) {
    this.bytes = bytes;
    this.accepted = accepted;
    this.externalData = request.externalData.map(({ path }, index) => ({ path, data: files[index + 1]!.blob }));
    this.#files = files;
    this.#given = given;
    this.#request = request;
    this.identified = new Promise((resolve) => (this.#tellIdentified = resolve));
    if (!this.isPending) this.#tellIdentified();
    const known = files.map(({ digest }) => digest.known);
    // `facts` outlives the load and must not keep the bytes alive.
    const kept = new Promise<readonly (string | null)[]>((resolve) => (this.#tellKept = resolve));
    this.facts = new ModelProfileStore(facts, request, hostTimer, known, kept);
  }

  get totalBytes(): number {
    return this.#files.reduce((sum, { blob }) => sum + blob.size, 0);
  }

  /** Returns the files for another session in this worker. */
  copy(): ModelCopy {
    const { blob } = this.#files[0]!;
    const read = async () => {
      const bytes = new Uint8Array(await blob.arrayBuffer());
      acceptModel(bytes);
      return bytes;
    };
    return { read, externalData: this.externalData };
  }

  /** Whether digests are missing that `keep` computes. */
  get isPending(): boolean {
    return this.#files.some(({ digest }) => digest.isPending);
  }

  /** Digests of the files, as far as they are known, and Blobs of the downloaded ones, in the order of the request. */
  get identity(): readonly ObtainedFile[] {
    return this.#files.map(({ digest, blob, source, origin }, index) => ({
      sha256: digest.known,
      blob: source === "network" ? blob : null,
      origin,
      ...(index >= this.#given && { beside: this.#request.externalData[index - 1] }),
    }));
  }

  get fromCache(): boolean {
    return this.#files.every(({ source }) => source === "cache");
  }

  /** Stores downloaded files in the cache for later sessions. Writes each file at most once. Never rejects. */
  async keep(): Promise<void> {
    await Promise.all(this.#files.map(({ digest }) => digest.compute()));
    this.#tellIdentified();
    this.#tellKept(await Promise.all(this.#files.map((file) => file.keep())));
  }

  /** Lets other tabs download the files that this load has not begun to keep. */
  drop(): void {
    for (const file of this.#files) file.drop();
  }

  /** Calls `keep` and waits for it within a time limit. Never rejects. */
  async keepInTime(): Promise<void> {
    const deadline = new Deadline(KEEPING_MS, hostTimer);
    await deadline.wait(() => this.keep(), this.totalBytes / BYTES_PER_MS).catch(() => undefined);
  }

  /** The provider whose own files these are; `null` if one file is for all. */
  get provider(): ExecutionProvider | null {
    return this.#request.variants.length === 0 ? null : (this.#request.providers[0] ?? null);
  }

  /** Returns the files for another worker. */
  handOver(): Pick<LoadRequest, "externalData" | "variants"> & { readonly location: ModelLocation } {
    const [location, ...others] = this.#files.map(({ blob, digest, origin }): ModelLocation => ({
      blob,
      sha256: digest.known,
      origin,
    }));
    const externalData = others.map((given, index) => ({
      path: this.externalData[index]!.path,
      location: given,
      // Checked on arrival.
      integrity: null,
    }));
    const own = { location: location!, externalData };
    const variants = this.#request.variants.map((variant) =>
      variant.provider === this.provider ? { ...variant, ...own, integrity: null } : variant,
    );
    return { ...own, variants };
  }
}

/**
 * Obtains the model and its external files in parallel, and then those that the model names and the page does not. If
 * one fails, no other stays locked for other tabs.
 *
 * @param database `null` to store nothing
 * @param canStream whether ONNX Runtime reads external files piece by piece
 * @param onRead called when the model has arrived, maybe before its external files
 * @param end ends the downloads
 * @throws the errors of `ModelStore.obtain`, `ModelStore.accept`, `acceptModel` and `filesBeside`
 */
export async function obtainFiles(
  request: LoadRequest,
  database: ModelDatabase | null,
  canStream: boolean,
  say: (notice: WorkerNotice) => void,
  onRead: (accepted: AcceptedModel) => void = () => undefined,
  end?: AbortSignal,
): Promise<ModelFiles> {
  const sum = new ProgressSum((progress) => say({ notice: "progress", provider: null, ...progress }));
  const warn = onlyOnce((error: Error) => say({ notice: "warning", error: encodeError(error) }));
  const shared = { ...sharedConfig(request, database, warn), ...(end !== undefined && { end }) };
  const wanted = [{ location: request.location, integrity: request.integrity }, ...request.externalData];
  const tasks = wanted.map(({ location, integrity }, index) => {
    const sizeLimit = sizeLimitOf(index === 0 ? "model" : "external", canStream, request);
    return { location, integrity, sizeLimit, progress: sum.add() };
  });
  const obtain = ({ location, ...own }: (typeof tasks)[number]) =>
    obtainFrom(location, { ...shared, ...own, pinned: "url" in location ? location.pinned : null });
  const found = tasks.map(obtain);
  const sizeLimit = sizeLimitOf("beside", false, request);
  const obtainBeside = ({ path, location, integrity }: ExternalFile) => {
    const file = obtain({ location, integrity, sizeLimit, progress: sum.add() });
    found.push(file);
    return file.catch((error: unknown) => Promise.reject(notBeside(path, error)));
  };
  try {
    const read = readModel(found[0]!, onRead);
    const beside = read.then(({ accepted }) => filesBeside(request, accepted.externalPaths));
    const more = beside.then((files) => Promise.all(files.map(obtainBeside)));
    const stored = await Promise.all([Promise.all(found), more]);
    const whole = { ...request, externalData: [...request.externalData, ...(await beside)] };
    const files = new ModelFiles(whole, await read, stored.flat(), database && new ModelFacts(database), wanted.length);
    sayFiles(files, say);
    return files;
  } catch (error) {
    for (const file of found) dropOnArrival(file);
    throw error;
  }
}

function sayFiles(files: ModelFiles, say: (notice: WorkerNotice) => void): void {
  const { provider, facts } = files;
  const own = provider !== null && { provider };
  if (files.isPending) say({ notice: "obtained", files: files.identity, isPending: true, ...own });
  void files.identified.then(() => say({ notice: "obtained", files: files.identity, ...own }));
  void facts.kept.then(() => say({ notice: "stored", ...own }));
}

async function readModel(arriving: Promise<StoredFile>, onRead: (accepted: AcceptedModel) => void): Promise<ReadModel> {
  const { blob, source } = await arriving;
  const read = () => blob.arrayBuffer();
  const bytes = await (source === "request" ? readGiven(read) : read());
  const accepted = acceptModel(new Uint8Array(bytes));
  onRead(accepted);
  return { bytes, accepted };
}

/** Drops what a load that has failed still obtains. The error does not wait for it. */
export function dropOnArrival(arriving: Promise<{ drop(): void }>): void {
  arriving.then(
    (arrived) => arrived.drop(),
    () => undefined,
  );
}

function sharedConfig(
  { stallTimeoutMs }: LoadRequest,
  database: ModelDatabase | null,
  onWarning: (error: Error) => void,
): Omit<ModelStoreConfig, "integrity" | "pinned" | "progress" | "sizeLimit"> {
  // Some browsers lack BroadcastChannel or locks, although the types declare both.
  const isAlone = database === null || typeof BroadcastChannel === "undefined";
  const locks: Locks | undefined = isAlone ? undefined : navigator.locks;
  return {
    cache: database && new ModelCache(database),
    turns: new DownloadLock({
      locks: locks ?? null,
      openNews: () => new BroadcastChannel("framebatch downloads"),
      timer: hostTimer,
      timeoutMs: stallTimeoutMs,
    }),
    timer: hostTimer,
    random: Math.random,
    stallTimeoutMs,
    onWarning,
  };
}

/** Returns the limit that refuses a file before its download, where the server tells its length. */
function sizeLimitOf(
  role: "model" | "external" | "beside",
  canStream: boolean,
  { maxModelBytes }: LoadRequest,
): SizeLimit {
  if (maxModelBytes <= WHOLE_BYTES || (role === "external" && canStream)) {
    return {
      maxBytes: maxModelBytes,
      why: `maxModelBytes allows ${maxModelBytes}; raise it if the file is the right one`,
    };
  }
  const why =
    role === "model"
      ? `an ONNX file may have ${WHOLE_BYTES}; export its weights to files of their own, and give them as externalData`
      : role === "beside"
        ? `a file that is found beside the model may have ${WHOLE_BYTES}; give it as externalData`
        : `a browser without JavaScript Promise Integration reads at most ${WHOLE_BYTES}; divide the weights into several files`;
  return { maxBytes: WHOLE_BYTES, why };
}

function obtainFrom(location: ModelLocation, config: ModelStoreConfig): Promise<StoredFile> {
  if ("blob" in location) return readGiven(() => new ModelStore(config).accept(location));
  // Other URLs, such as blob: and data:, are not cached: the page holds their bytes, and their addresses do not last.
  const store = new ModelStore(/^https?:/.test(location.url) ? config : { ...config, cache: null });
  return store.obtain(location.url);
}

/** Reports each message once: a broken cache fails for several files, but is one problem. */
function onlyOnce(warn: (error: Error) => void): (error: Error) => void {
  const told = new Set<string>();
  return (error) => {
    if (told.has(error.message)) return;
    told.add(error.message);
    warn(error);
  };
}

/**
 * Reads a file that came with the request. Browsers refuse any part of a `File` that has changed since the user picked
 * it.
 * @throws MODEL_INTEGRITY when the file can no longer be read, and what `read` throws about it
 */
async function readGiven<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof FramebatchError ? error : unreadable(error);
  }
}

function unreadable(error: unknown): FramebatchError {
  return new FramebatchError(
    "MODEL_INTEGRITY",
    `expected to read a file of the model as it was given, got a file that has changed, moved or disappeared since (${String(error)}); let the user pick it again, and create the model anew`,
    { cause: error },
  );
}
