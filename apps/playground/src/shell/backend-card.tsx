import { useSignal } from "@preact/signals";
import type { BatchedModel, ModelStats } from "framebatch";
import { useEffect, useRef } from "preact/hooks";
import type { Playground } from "../playground.js";
import { BACKENDS, type Backend } from "../settings.js";
import { LoadProgressBar } from "./load-progress.js";
import { PROVIDER_NAMES } from "./provider-names.js";
import { isSoftwareGpu } from "./software-gpu.js";

const CHOICES: Readonly<Record<Backend, string>> = { auto: "Auto", ...PROVIDER_NAMES };

/** The model's backend, why it was chosen, and the progress while the model loads. */
export function BackendCard({ playground }: { playground: Playground }) {
  const { settings, comparing } = playground;
  return (
    <section class="card backend" aria-labelledby="backend-heading">
      <div class="card-head">
        <h2 id="backend-heading">Runs on</h2>
        <select
          class="select"
          aria-label="Backend"
          data-testid="backend-choice"
          value={settings.backend}
          disabled={comparing}
          onChange={({ currentTarget }) => (settings.backend.value = toBackend(currentTarget.value))}
        >
          {BACKENDS.map((backend) => (
            <option key={backend} value={backend}>
              {CHOICES[backend]}
            </option>
          ))}
        </select>
      </div>
      <div data-testid="backend">
        <Facts playground={playground} />
      </div>
      {playground.lane.value === null ? null : <LoadProgressBar lane={playground.lane.value} />}
    </section>
  );
}

function Facts({ playground }: { playground: Playground }) {
  const model = playground.model.value;
  const hadModel = useRef(false);
  hadModel.current ||= model !== null;
  const stats = useStats(model);
  if (stats === null) {
    const isRestarting = hadModel.current && playground.lane.value?.state.value.phase === "loading";
    return (
      <p class="backend-name backend-none">{isRestarting ? "Restarting with the new setting…" : "No backend yet"}</p>
    );
  }
  return (
    <>
      <p class="backend-name">
        {PROVIDER_NAMES[stats.executionProvider]}
        {stats.adapter === null ? null : <span class="backend-adapter">{stats.adapter}</span>}
      </p>
      {isSoftwareGpu(stats.adapter) ? <SoftwareGpu playground={playground} /> : null}
      {stats.state === "recovering" ? <p>The backend was lost and is restarting. Requests wait.</p> : null}
      <ul class="trials">
        {stats.providerTrials.map((trial) => (
          <li key={trial.provider}>
            <strong>{PROVIDER_NAMES[trial.provider]}</strong> {trial.chosen ? "chosen" : "skipped"}: {trial.reason}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Says that the GPU is emulated, and offers what is usually faster. */
function SoftwareGpu({ playground: { settings, comparing } }: { playground: Playground }) {
  return (
    <p class="software-gpu">
      This GPU runs in software, usually slower than WASM.{" "}
      <button
        type="button"
        class="link"
        data-testid="use-wasm"
        disabled={comparing}
        onClick={() => (settings.backend.value = "wasm")}
      >
        Use WASM
      </button>
    </p>
  );
}

/** The model's statistics, read again at each state change. */
function useStats(model: BatchedModel | null): ModelStats | null {
  const stats = useSignal<ModelStats | null>(null);
  useEffect(() => {
    stats.value = model?.stats() ?? null;
    const listening = new AbortController();
    model?.addEventListener("statechange", () => (stats.value = model.stats()), listening);
    return () => listening.abort();
  }, [model]);
  return stats.value;
}

function toBackend(text: string): Backend {
  return BACKENDS.find((backend) => backend === text) ?? "auto";
}
