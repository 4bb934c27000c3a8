import { type ExecutionProvider, type RuntimeBuild, traitsOf } from "../../transport/providers.js";
import { chooseBuild, isReduced, supports } from "../../transport/runtime-builds.js";
import type { InferenceSession } from "onnxruntime-web/wasm";
import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { checkSameSignature, type ModelSignature, type TensorMetadata } from "@framebatch/rows/model/signature.js";
import { withoutStates } from "@framebatch/rows/model/recurrence.js";
import type { BatchCheck, ByteProgress, LoadRequest } from "../../transport/protocol.js";
import type { Facts } from "../../store/model-facts.js";
import { describeOutput } from "../graph/accepted-model.js";
import { checkSession, createWarm, type CheckedSession } from "./checked-session.js";
import { createSession } from "./create-session.js";
import type { DecidedRequest, EarlyRuntime, StartedRuntime } from "../ort/early-runtime.js";
import type { GeneratedItem } from "../../verification/worker/items.js";
import { type DeviceFinder, DeviceWatch } from "../ort/device.js";
import type { ModelFiles } from "../files/model-files.js";
import type { ExecutionTarget } from "../files/model-profile.js";
import { nextTask } from "../ort/next-task.js";
import { provedBy } from "../../verification/worker/batch-check.js";
import { rebatchSession } from "./rebatched-session.js";
import { creationError, endsWorker, lacksOperator, RetryWithFewerRows } from "../ort/runtime-error.js";
import type { Runtime } from "../ort/runtime-handover.js";
import { shownCause } from "@framebatch/batcher/errors/shown-address.js";
import { isTensorType } from "@framebatch/rows/tensor/element-types.js";
import { declaredTensors } from "../graph/declared-tensors.js";

/** A session that has run, and what it runs on. */
export interface Backend extends CheckedSession {
  readonly runtime: Runtime;
  readonly provider: ExecutionProvider;
  readonly adapter: string | null;
  /** `null` if the provider has no GPU device. */
  readonly device: DeviceWatch | null;
}

export type TrialResult =
  | { readonly kind: "ready"; readonly backend: Backend; readonly reason: string }
  /** ONNX Runtime was not used: another provider can be tried in this worker. */
  | { readonly kind: "unavailable"; readonly reason: string }
  /** ONNX Runtime was used: nothing else can be tried in this worker. */
  | {
      readonly kind: "failed";
      readonly error: FramebatchError;
      /**
       * Maximum number of rows with which to retry the provider in another worker; `null` if a retry would not help.
       */
      readonly maxRows: number | null;
    };

/** What the trials of one load share. */
export interface TrialMeans {
  readonly findDevice: DeviceFinder;
  readonly early: EarlyRuntime;
}

/** Receives the progress of a trial, and gives it the user's samples. */
export interface TrialListener {
  /** Called before the phase begins. */
  onPhase(phase: "compile" | "warmup"): void;
  /** Called while ONNX Runtime's WebAssembly arrives, before the first phase. */
  onRuntimeBytes(bytes: ByteProgress): void;
  /** Called with the numbers of the notice "checking". */
  readonly onChecking: (rows: number) => void;
  /** See `SessionMaker`. */
  readonly samplesFor: (signature: ModelSignature) => Promise<readonly unknown[]>;
}

/**
 * Tries one provider: creates a session and runs it. Of all sessions that this makes, only those of the backend are
 * left.
 */
export async function tryProvider(
  provider: ExecutionProvider,
  files: ModelFiles,
  request: DecidedRequest,
  means: TrialMeans,
  listener: TrialListener,
): Promise<TrialResult> {
  const made: InferenceSession[] = [];
  const result = await makeBackend(provider, files, request, { ...means, made }, listener);
  await releaseUnused(made, result);
  return result;
}

/**
 * Releases what the other models of a worker would otherwise pay for. A worker that has broken down releases nothing.
 */
async function releaseUnused(made: readonly InferenceSession[], result: TrialResult): Promise<void> {
  if (result.kind === "failed" && endsWorker(result.error)) return;
  const used = result.kind === "ready" ? [result.backend.session, result.backend.original] : [];
  await Promise.allSettled(made.filter((session) => !used.includes(session)).map((session) => session.release()));
}

async function makeBackend(
  provider: ExecutionProvider,
  files: ModelFiles,
  request: DecidedRequest,
  means: TrialMeans & { readonly made: InferenceSession[] },
  listener: TrialListener,
  isPlain = files.accepted.plainOperator !== null,
): Promise<TrialResult> {
  const { findDevice, early, made } = means;
  const adapter = await findDevice(provider);
  if ("missing" in adapter) return { kind: "unavailable", reason: adapter.missing };
  if (isPlain && !supports("wasm", provider))
    return { kind: "unavailable", reason: needsWasm(files, provider, request) };
  await early.arrival((bytes) => listener.onRuntimeBytes(bytes));
  listener.onPhase("compile");
  let build = chooseBuild(provider, request);
  try {
    // Another build may take longer to arrive than the page waits for a silent worker.
    const onBytes = () => made.length === 0 && listener.onPhase("compile");
    const { runtime, ...started } = await early.for(provider, isPlain, onBytes);
    ({ build } = started);
    const place = placeOf(provider, adapter.name, { runtime, build }, request);
    const factsFor = async (items: readonly GeneratedItem[]) => {
      const facts = await files.facts.at(place, items);
      return { ...facts, read: async () => knownOf(await facts.read(), provider, request) };
    };
    let device: DeviceWatch | null = null;
    const create = async (bytes: Uint8Array) => {
      const session = await createSession(runtime, provider, bytes, files, request);
      made.push(session);
      if (traitsOf(provider).needs === "gpu") device ??= new DeviceWatch(await runtime.env.webgpu.device);
      return session;
    };
    const settled = async () => {
      if (device === null) return;
      // The device reports a failed call in a separate task.
      await nextTask();
      device.check();
    };
    const { onChecking, samplesFor } = listener;
    const describe = (outputs: readonly TensorMetadata[]) =>
      outputs.map((output) => describeOutput(output, files.accepted.outputOperators));
    const own = { runtime, provider, request, bytes: files.bytes, describe, factsFor, create, settled };
    const maker = { ...own, onChecking, samplesFor };
    const warm = await createWarm(maker, new Uint8Array(files.bytes), () => listener.onPhase("warmup"));
    const { fixedBatch } = warm.signature;
    const checked = fixedBatch === 1 ? await rebatchSession(maker, warm) : await checkSession(maker, warm);
    if (request.variants.length > 0) checkSameSignature(request.signature, withoutStates(checked));
    const { batchCheck, warmedUp, facts } = checked;
    if (isVerdict(batchCheck) && !batchCheck.fromCache) void facts.write({ batchCheck });
    const error = mixingError(checked, fixedBatch, provider, request);
    if (error !== null) return { kind: "failed", error, maxRows: null };
    const reason = describeWay(build, files, adapter.name, warmedUp);
    return { kind: "ready", backend: { ...checked, runtime, provider, adapter: adapter.name, device }, reason };
  } catch (thrown) {
    // What a reduced build lacks must not keep a model from WebAssembly.
    const mayBePlain = isReduced(build) && supports("wasm", provider) && lacksOperator(asError(thrown).message);
    if (mayBePlain) return makeBackend(provider, files, request, means, listener, true);
    const error = failureOf(thrown, files, request.runtimes[build].wasm);
    return { kind: "failed", error, maxRows: thrown instanceof RetryWithFewerRows ? thrown.maxRows : null };
  }
}

/** @param wasm address of ONNX Runtime's WebAssembly */
function failureOf(thrown: unknown, { bytes }: ModelFiles, wasm: string): FramebatchError {
  if (thrown instanceof FramebatchError) return thrown;
  return unnamedType(thrown, new Uint8Array(bytes)) ?? creationError(thrown, wasm);
}

/** Says how a model runs, for people. */
function describeWay(
  build: RuntimeBuild,
  { accepted: { lowered } }: ModelFiles,
  adapter: string | null,
  { doubt }: CheckedSession["warmedUp"],
): string {
  const way = lowered === null ? `onnxruntime-web/${build}` : `onnxruntime-web/${build}, ${lowered}`;
  return [way, adapter && `on ${adapter}`, doubt && `(${doubt})`].filter(Boolean).join(" ");
}

/** Says what to do only if no other provider is left to be tried. */
function needsWasm({ accepted }: ModelFiles, provider: ExecutionProvider, { providers }: LoadRequest): string {
  const fix = provider === providers.at(-1) ? '; leave executionProviders out, or add "wasm"' : "";
  return `expected operators that ONNX Runtime has for a GPU, got ${accepted.plainOperator}${fix}`;
}

function placeOf(
  provider: ExecutionProvider,
  adapter: string | null,
  { build, runtime: { env } }: StartedRuntime,
  request: DecidedRequest,
): ExecutionTarget {
  const runtime = `${build} ${env.versions.common}`;
  return { provider, adapter, runtime, numThreads: request.numThreads };
}

/** Returns the stored facts. A verdict by another worker of this page replaces the stored one. */
function knownOf(stored: Facts, provider: ExecutionProvider, { found }: LoadRequest): Facts {
  const own = found.find((verdict) => verdict.provider === provider && isVerdict(verdict.batchCheck));
  return own === undefined ? stored : { ...stored, batchCheck: own.batchCheck };
}

/** Returns true if the check was conclusive, so that it need not be repeated. */
function isVerdict({ outcome }: BatchCheck): boolean {
  return outcome === "passed" || outcome === "failed";
}

/**
 * Returns why the provider is left because the model mixes rows there; `null` if it stays, in batches or item by item.
 * A model whose graph mixes rows stays, for it would do so everywhere; likewise one that has started on WASM for its
 * speed.
 */
function mixingError(
  { batchCheck, graph }: CheckedSession,
  fixedBatch: number | null,
  provider: ExecutionProvider,
  { providers, isAutomatic }: LoadRequest,
): FramebatchError | null {
  if (batchCheck.outcome !== "failed" || fixedBatch === 1) return null;
  if (fixedBatch !== null) return unsafe(batchCheck);
  if (provedBy(graph) !== null) return null;
  const isLast = provider === providers.at(-1) || (isAutomatic && supports("wasm", provider));
  return isLast ? null : new FramebatchError("UNSUPPORTED", batchCheck.reason);
}

/** The error for a model that cannot run one item alone, which has no fallback. */
function unsafe({ reason }: BatchCheck): FramebatchError {
  return new FramebatchError(
    "BATCH_UNSAFE",
    `expected rows to be independent, got answers that depend on other rows (${reason}); export the model with a dynamic batch`,
  );
}

/** The words of onnxruntime-web for an input or output of a type that it has no name for. */
const UNNAMED_TYPE = /unsupported data type: \d+/;

/**
 * Returns the error for an input or output of a type such as bfloat16, which keeps onnxruntime-web from telling of any
 * other; `null` for another error.
 *
 * @param thrown what the creation of a session threw
 * @param model the bytes of the file
 */
function unnamedType(thrown: unknown, model: Uint8Array): FramebatchError | null {
  const { message } = asError(thrown);
  if (!UNNAMED_TYPE.test(message)) return null;
  return new FramebatchError(
    "MODEL_INVALID",
    `expected inputs and outputs of types that JavaScript has an array for, got ${unnamedIn(model).join(", ") || message}; export them as float32 or float16`,
    { cause: shownCause(thrown) },
  );
}

/** Returns such inputs and outputs, for people; none of a file in ONNX Runtime's own format. */
function unnamedIn(model: Uint8Array): string[] {
  try {
    const { inputs, outputs } = declaredTensors(model);
    return [...described("input", inputs), ...described("output", outputs)];
  } catch {
    return [];
  }
}

function described(kind: string, tensors: readonly TensorMetadata[]): string[] {
  return tensors.flatMap(({ name, type }) =>
    type === undefined || isTensorType(type) ? [] : [`${type} for the ${kind} "${name}"`],
  );
}
