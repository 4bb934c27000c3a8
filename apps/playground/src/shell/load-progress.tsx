import type { LoadProgress } from "framebatch";
import { formatBytes } from "../format.js";
import type { ModelLane } from "../model-lanes.js";

const PHASES: Readonly<Record<LoadProgress["phase"], string>> = {
  download: "Downloading the model",
  cache: "Reading the model from this browser's cache",
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

function describe({ phase, loadedBytes, totalBytes }: LoadProgress): string {
  if (phase !== "download") return PHASES[phase];
  const total = totalBytes === null ? "" : ` of ${formatBytes(totalBytes)}`;
  return `${PHASES.download}, ${formatBytes(loadedBytes)}${total}`;
}

/** Returns no value, which renders an indeterminate bar, if the total is unknown. */
function shareLoaded(progress: LoadProgress | null): { value?: number } {
  if (progress?.phase !== "download" || !progress.totalBytes) return {};
  return { value: Math.min(1, progress.loadedBytes / progress.totalBytes) };
}
