import { findAdapter, type AdapterFacts } from "./measure/adapter.js";
import { timeFirstPrediction, type FirstPredictionSpec } from "./measure/first-prediction.js";
import { PageVisit, type LoadSpec, type OpenedVisit, type VisitSlice, type VisitSpec } from "./page/page-visit.js";
import type { PageReport } from "./results.js";
import { BenchRun } from "./run/bench-run.js";
import type { RunSpec } from "./spec.js";
import { answerFirst } from "./ways/first-answer.js";
import { FIRST_ANSWER_HASH, type FirstAnswer } from "./ways/first-answer-protocol.js";
import { train, type Training, type TrainingSpec } from "./ways/training.js";

declare global {
  interface Window {
    bench: BenchPage;
  }
}

/** The functions that the runner calls on the page. */
export class BenchPage {
  #run: BenchRun | undefined;
  #visit: PageVisit | undefined;
  /** The answer of a page whose address asks for it. */
  readonly #firstAnswer: Promise<FirstAnswer> | null;

  constructor(hash: string) {
    const spec = hash.startsWith(FIRST_ANSWER_HASH) ? hash.slice(FIRST_ANSWER_HASH.length) : null;
    this.#firstAnswer = spec === null ? null : answerFirst(JSON.parse(decodeURIComponent(spec)));
    // The runner asks for it later.
    this.#firstAnswer?.catch(() => {});
  }

  /** Returns the answer that the address asks for. */
  async firstAnswer(): Promise<FirstAnswer> {
    if (this.#firstAnswer === null) throw new Error(`Expected an address that ends with "${FIRST_ANSWER_HASH}…".`);
    return this.#firstAnswer;
  }

  /** Keeps a model busy until framebatch has measured its ways to run. */
  train(spec: TrainingSpec): Promise<Training> {
    return train(spec);
  }

  /** Opens a lane on a page with widgets. */
  async openVisit(spec: VisitSpec): Promise<OpenedVisit> {
    this.#visit = await PageVisit.open(spec);
    return this.#visit.opened();
  }

  /** Measures the opened lane under a load. */
  measureVisit(spec: LoadSpec): Promise<VisitSlice> {
    return this.#opened().measure(spec);
  }

  /** Returns from each of the next `count` keystrokes to the frame that shows it, in ms. */
  keystrokes(count: number): Promise<readonly number[]> {
    return this.#opened().keystrokes(count);
  }

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

  #opened(): PageVisit {
    if (this.#visit === undefined) throw new Error("Expected an opened visit.");
    return this.#visit;
  }
}

/** Reports progress to the runner, which forwards console messages, and on the page. */
function say(text: string): void {
  console.info(`bench: ${text}`);
  const status = document.querySelector("output");
  if (status) status.textContent = text;
}

window.bench = new BenchPage(location.hash);
