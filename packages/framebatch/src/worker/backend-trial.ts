import type { InferenceSession } from "onnxruntime-web/wasm";
import { FramebatchError } from "../core/errors.js";
import type { LoadRequest, Provider } from "../core/protocol.js";
import type { Facts } from "../store/model-facts.js";
import { checkSession, createWarm, type CheckedSession, type SessionMaker } from "./checked-session.js";
import type { EarlyRuntime } from "./early-runtime.js";
import type { PlacedFacts } from "./facts-shelf.js";
import { findAdapter } from "./gpu-adapter.js";
import type { ModelFiles } from "./model-files.js";
import { nextTask } from "./next-task.js";
import { rebatchSession } from "./rebatched-session.js";
import { creationError } from "./runtime-error.js";
import { chooseBuild, type Runtime } from "./runtime.js";
import { DeviceWatch } from "./watch-device.js";

/** A session that ran, and what it runs on. */
export interface Backend extends CheckedSession {
  readonly runtime: Runtime;
  readonly provider: Provider;
  readonly adapter: string | null;
  /** `null` on WASM. */
  readonly device: DeviceWatch | null;
  /** What earlier sessions learned of this model here, and where to keep what this one does. */
  readonly known: Facts;
  readonly facts: PlacedFacts;
}

export type TrialResult =
  | { readonly kind: "ready"; readonly backend: Backend; readonly reason: string }
  /** ONNX Runtime was not touched: another provider can be tried in this worker. */
  | { readonly kind: "unavailable"; readonly reason: string }
  /** ONNX Runtime was touched: nothing else can be tried in this worker. */
  | { readonly kind: "failed"; readonly error: FramebatchError };

/** Tries one provider by what it is for: makes a session and runs it. `onPhase` hears what it is about to do. */
export async function tryProvider(
  provider: Provider,
  files: ModelFiles,
  request: LoadRequest,
  early: EarlyRuntime,
  onPhase: (phase: "compile" | "warmup") => void,
): Promise<TrialResult> {
  const adapter = provider === "webgpu" ? await findAdapter() : { name: null };
  if ("missing" in adapter) return { kind: "unavailable", reason: adapter.missing };
  onPhase("compile");
  try {
    const build = chooseBuild(provider);
    const runtime = await early.for(provider);
    const facts = files.facts.at({
      provider,
      adapter: adapter.name,
      runtime: `${build} ${runtime.env.versions.common}`,
    });
    const known = knownOf(await facts.read(), provider, request);
    let device: DeviceWatch | null = null;
    const create = async (bytes: Uint8Array) => {
      const session = await createSession(runtime, provider, bytes, files, request);
      if (provider === "webgpu") device ??= new DeviceWatch(await runtime.env.webgpu.device);
      return session;
    };
    const settled = async () => {
      if (device === null) return;
      // What the device has refused is heard in a task of its own.
      await nextTask();
      device.check();
    };
    const maker: SessionMaker = { runtime, provider, request, bytes: files.bytes, known, create, settled };
    const warm = await createWarm(maker, new Uint8Array(files.bytes), () => onPhase("warmup"));
    const isFixed = warm.signature.fixedBatch === 1;
    const checked = isFixed ? await rebatchSession(maker, warm) : await checkSession(maker, warm);
    const { batchCheck, warmedUp } = checked;
    if (batchCheck.outcome === "failed" && !isFixed && provider !== request.providers.at(-1)) {
      return { kind: "failed", error: new FramebatchError("UNSUPPORTED", batchCheck.reason) };
    }
    if (batchCheck.outcome === "passed" && !batchCheck.fromCache) void facts.write({ batchCheck });
    const reason = [
      `onnxruntime-web/${build}`,
      adapter.name && `on ${adapter.name}`,
      warmedUp.doubt && `(${warmedUp.doubt})`,
    ];
    return {
      kind: "ready",
      backend: { ...checked, runtime, provider, adapter: adapter.name, device, known, facts },
      reason: reason.filter(Boolean).join(" "),
    };
  } catch (thrown) {
    return { kind: "failed", error: thrown instanceof FramebatchError ? thrown : creationError(thrown) };
  }
}

/** A check that has passed in this page's own life is as good as one of an earlier session. */
function knownOf(stored: Facts, provider: Provider, { found }: LoadRequest): Facts {
  return found?.provider === provider ? { ...stored, batchCheck: found.batchCheck } : stored;
}

/** ONNX Runtime writes into the options that it is given; these came as a copy of the caller's. */
async function createSession(
  runtime: Runtime,
  provider: Provider,
  bytes: Uint8Array,
  { externalData }: ModelFiles,
  { sessionOptions }: LoadRequest,
): Promise<InferenceSession> {
  return runtime.InferenceSession.create(bytes, {
    ...sessionOptions,
    ...(externalData.length > 0 && { externalData }),
    executionProviders: [provider],
  });
}
