import type { ExecutionProvider, ReleaseMode } from "framebatch";
import type { Comparison } from "../measure/compare.js";
import type { Outcome } from "../measure/outcome.js";
import type { Playground } from "../playground.js";
import type { Scene } from "../scenes/scene.js";
import { RELEASE_LABELS } from "../settings.js";
import { PROVIDER_NAMES } from "../shell/provider-names.js";
import { isSoftwareGpu } from "../shell/software-gpu.js";

/** What a result was measured on. */
export interface Conditions {
  readonly model: string;
  readonly release: ReleaseMode;
  /** Simulated work of the page per frame, in ms. */
  readonly pressureMs: number;
  readonly provider: ExecutionProvider;
  /** Name of the GPU adapter; `null` on WASM. */
  readonly adapter: string | null;
  /** Logical processors of the device. */
  readonly cores: number;
}

/** The conditions at the end of a comparison. */
export function conditionsOf({ settings }: Playground, scene: Scene, { batched }: Comparison): Conditions {
  return {
    model: scene.model.peek()?.name ?? "",
    release: settings.release.peek(),
    pressureMs: settings.pressureMs.peek(),
    provider: batched.stats.executionProvider,
    adapter: batched.stats.adapter,
    cores: navigator.hardwareConcurrency,
  };
}

/** "digits.onnx, 64 callers without a pause, batches before the next paint, up to 256. WASM, 2 cores." */
export function describeConditions(conditions: Conditions, { callers, pace, maxBatch }: Outcome): string {
  const { model, release, pressureMs, cores } = conditions;
  const load = `${callers === 1 ? "1 caller" : `${callers} callers`} ${pace === "frame" ? "once per frame" : "without a pause"}`;
  const batches = `batches ${RELEASE_LABELS[release]}, up to ${maxBatch}`;
  const work = pressureMs === 0 ? "" : `, ${pressureMs} ms of other work per frame`;
  return `${model}, ${load}, ${batches}${work}. ${describeBackend(conditions)}, ${cores === 1 ? "1 core" : `${cores} cores`}.`;
}

function describeBackend({ provider, adapter }: Conditions): string {
  if (adapter === null) return PROVIDER_NAMES[provider];
  return `${PROVIDER_NAMES[provider]}${isSoftwareGpu(adapter) ? " in software" : ""} (${adapter})`;
}
