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

/** What the runner calls on the page. */
export class BenchPage {
  #run: BenchRun | undefined;

  findAdapter(): Promise<AdapterFacts | null> {
    return findAdapter();
  }

  /** Measures what the spec asks for. One run at a time. */
  async run(spec: RunSpec): Promise<PageReport> {
    const adapter = spec.backend === "webgpu" ? await findAdapter() : null;
    this.#run = await BenchRun.start(spec, adapter);
    await this.#run.finish(say);
    return this.#run.report();
  }

  timeFirstPrediction(spec: FirstPredictionSpec): Promise<number> {
    return timeFirstPrediction(spec);
  }

  /** What the current run has measured by now: for a run that hangs. */
  soFar(): PageReport | null {
    return this.#run?.report() ?? null;
  }
}

/** For the runner, which forwards what the console hears; and for whoever has opened the page by hand. */
function say(text: string): void {
  console.info(`bench: ${text}`);
  const status = document.querySelector("output");
  if (status) status.textContent = text;
}

window.bench = new BenchPage();
