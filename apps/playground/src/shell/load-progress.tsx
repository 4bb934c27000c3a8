import type { LoadProgress } from "framebatch";
import { formatBytes } from "../format.js";
import type { ModelLane } from "../model-lanes.js";

const PHASES: Readonly<Record<LoadProgress["phase"], string>> = {
  download: "Downloading the model",
  cache: "Reading the model from this browser's cache",
  runtime: "Loading ONNX Runtime",
  compile: "Preparing the model",
  warmup: "Warming up the model",
  ready: "Ready",
};

/** The loading progress of a lane's model; nothing once it is ready. */
export function LoadProgressBar({ lane }: { lane: ModelLane }) {
  const state = lane.state.value;
  if (state.phase !== "loading") return null;
  const label = state.progress === null ? "Starting the worker" : describe(state.progress);
  return (
    <div class="progress" data-testid="progress">
      <span class="progress-label">{label}</span>
      <progress aria-label={label} max={1} {...shareLoaded(state.progress)} />
    </div>
  );
}

function describe(progress: LoadProgress): string {
  const bytes = arriving(progress);
  if (bytes === null) return PHASES[progress.phase];
  const total = bytes.totalBytes === null ? "" : ` of ${formatBytes(bytes.totalBytes)}`;
  return `${PHASES[progress.phase]}, ${formatBytes(bytes.loadedBytes)}${total}`;
}

/** Returns no value, which renders an indeterminate bar, if the total is unknown. */
function shareLoaded(progress: LoadProgress | null): { value?: number } {
  const bytes = progress === null ? null : arriving(progress);
  return bytes?.totalBytes ? { value: Math.min(1, bytes.loadedBytes / bytes.totalBytes) } : {};
}

/** The bytes of what arrives now; `null` while nothing does. */
function arriving(progress: LoadProgress): Pick<LoadProgress, "loadedBytes" | "totalBytes"> | null {
  return progress.phase === "download" ? progress : (progress.runtime ?? null);
}
