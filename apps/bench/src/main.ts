import { findAdapter, type AdapterFacts } from "./measure/adapter.js";
import { timeFirstPrediction, type FirstPredictionSpec } from "./measure/first-prediction.js";
import type { PageReport } from "./results.js";
import { BenchRun } from "./run/bench-run.js";
import type { RunSpec } from "./spec.js";

declare global {
  interface Window {
    bench: BenchPage;
  }
}

/** The functions that the runner calls on the page. */
export class BenchPage {
  #run: BenchRun | undefined;

  findAdapter(): Promise<AdapterFacts | null> {
    return findAdapter();
  }

  /** Runs the measurements of the spec. Only one run at a time. */
  async run(spec: RunSpec): Promise<PageReport> {
    const adapter = spec.backend === "webgpu" ? await findAdapter() : null;
    this.#run = await BenchRun.start(spec, adapter);
    await this.#run.finish(say);
    return this.#run.report();
  }

  timeFirstPrediction(spec: FirstPredictionSpec): Promise<number> {
    return timeFirstPrediction(spec);
  }

  /** Returns the measurements so far, for a run that hangs; `null` before the first run. */
  soFar(): PageReport | null {
    return this.#run?.report() ?? null;
  }
}

/** Reports progress to the runner, which forwards console messages, and on the page. */
function say(text: string): void {
  console.info(`bench: ${text}`);
  const status = document.querySelector("output");
  if (status) status.textContent = text;
}

window.bench = new BenchPage();
