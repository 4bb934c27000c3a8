import type { InferenceSession } from "onnxruntime-web/wasm";
import { FramebatchError } from "../core/errors.js";
import { resolveSignature } from "../core/model-axes.js";
import type { ModelSignature } from "../core/model-signature.js";
import { planPadding, type PaddingPlan } from "../core/padding-plan.js";
import type { LoadRequest, Provider, TimedRun } from "../core/protocol.js";
import { findAdapter } from "./gpu-adapter.js";
import { creationError } from "./runtime-error.js";
import { chooseBuild, loadRuntime, type Runtime } from "./runtime.js";
import { warmUp } from "./warm-up.js";

/** A session that ran, and what it runs on. */
export interface Backend {
  readonly runtime: Runtime;
  readonly session: InferenceSession;
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly adapter: string | null;
  readonly device: GPUDevice | null;
  readonly timings: readonly TimedRun[];
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
  bytes: ArrayBuffer,
  request: LoadRequest,
  onPhase: (phase: "compile" | "warmup") => void,
): Promise<TrialResult> {
  const adapter = provider === "webgpu" ? await findAdapter() : { name: null };
  if ("missing" in adapter) return { kind: "unavailable", reason: adapter.missing };
  onPhase("compile");
  try {
    const build = chooseBuild(provider);
    const runtime = await loadRuntime(build, request);
    const session = await createSession(runtime, provider, bytes, request);
    const signature = resolveSignature(session.inputMetadata, session.outputMetadata, request.batchAxis);
    const padding = planPadding(signature, request.padding);
    onPhase("warmup");
    const { timings, doubt } = await warmUp({ runtime, session, signature, padding, provider }, request);
    const device = provider === "webgpu" ? await runtime.env.webgpu.device : null;
    const reason = [`onnxruntime-web/${build}`, adapter.name && `on ${adapter.name}`, doubt && `(${doubt})`];
    return {
      kind: "ready",
      backend: { runtime, session, signature, padding, adapter: adapter.name, device, timings },
      reason: reason.filter(Boolean).join(" "),
    };
  } catch (thrown) {
    return { kind: "failed", error: thrown instanceof FramebatchError ? thrown : creationError(thrown) };
  }
}

/** ONNX Runtime writes into the options that it is given; these came as a copy of the caller's. */
async function createSession(
  runtime: Runtime,
  provider: Provider,
  bytes: ArrayBuffer,
  { sessionOptions }: LoadRequest,
): Promise<InferenceSession> {
  return runtime.InferenceSession.create(new Uint8Array(bytes), { ...sessionOptions, executionProviders: [provider] });
}
