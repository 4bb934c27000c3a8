import { LANES } from "../lanes/all.js";
import { isOfBuild, laneOfBuild } from "../lanes/builds.js";
import { LOADS, WAY_LOADS } from "../loads/all.js";
import type { AdapterFacts } from "../measure/adapter.js";
import { FrameRecorder } from "../measure/frame-recorder.js";
import { LongTaskCounter } from "../measure/long-tasks.js";
import { MainThreadMeter } from "../measure/main-thread.js";
import { MemoryMeter } from "../measure/memory.js";
import { measurePage } from "../measure/page-facts.js";
import { SampleBuffer } from "../measure/sample-buffer.js";
import { runMicro } from "../micro/all.js";
import { MODELS, type BenchModel } from "../models.js";
import { describeModel } from "../own-model.js";
import { REAL_MODELS } from "../real-models.js";
import type { MicroRow, PageFacts, PageReport, Site } from "../results.js";
import type { RunSpec } from "../spec.js";
import { seededRandom } from "../statistics/random.js";
import { Budget } from "./budget.js";
import { runMs } from "./estimate.js";
import { Measurements } from "./measurements.js";
import type { Instruments } from "./measure-slice.js";
import { planRun, type PlannedModel } from "./plan.js";
import { runModel } from "./run-model.js";

/** Number of recorded calls per slice: more than one second of the fastest lane. */
const SAMPLE_CAPACITY = 2 ** 20;

/** One run of the benchmark on one backend. */
export class BenchRun {
  readonly #spec: RunSpec;
  readonly #adapter: string | null;
  readonly #page: PageFacts;
  readonly #micro: readonly MicroRow[];
  readonly #measurements = new Measurements();
  readonly #planned: readonly PlannedModel[];
  readonly #budget: Budget;

  private constructor(
    spec: RunSpec,
    adapter: AdapterFacts | null,
    page: PageFacts,
    micro: readonly MicroRow[],
    models: readonly BenchModel[],
    endMs: number,
  ) {
    this.#spec = spec;
    this.#adapter = adapter?.name ?? null;
    this.#page = page;
    this.#micro = micro;
    const builds = spec.lanes.filter(isOfBuild).map(laneOfBuild);
    const lanes = [...LANES.filter(({ name }) => spec.lanes.includes(name)), ...builds];
    const loads = (spec.subset === "ways" ? WAY_LOADS : LOADS).filter(({ name }) => spec.loads?.includes(name) ?? true);
    this.#planned = planRun(models, loads, lanes, { ...spec, isSoftware: adapter?.isSoftware ?? false });
    this.#budget = new Budget(endMs - performance.now(), runMs(this.#planned, spec), () => performance.now());
  }

  /**
   * Measures the page's properties and the costs that need no model.
   * @param adapter `null` on WASM
   */
  static async start(spec: RunSpec, adapter: AdapterFacts | null): Promise<BenchRun> {
    const endMs = performance.now() + spec.budgetMs;
    const page = await measurePage();
    const micro = await runMicro(spec, seededRandom(spec.seed));
    return new BenchRun(spec, adapter, page, micro, await modelsOf(spec), endMs);
  }

  /**
   * Measures all cells.
   * @param say reports the progress
   */
  async finish(say: (text: string) => void): Promise<void> {
    const { budgetMs, backend } = this.#spec;
    const [plannedMin, mostMin] = [runMs(this.#planned, this.#spec), budgetMs].map((ms) => (ms / 60_000).toFixed(1));
    say(`${backend}: ${plannedMin} minutes planned, ${mostMin} at most`);
    const shared = { spec: this.#spec, site: this.#site, budget: this.#budget, measurements: this.#measurements, say };
    const context = {
      ...shared,
      random: seededRandom(this.#spec.seed),
      instruments: await openInstruments(this.#page.framePeriodMs, this.#spec.subset !== "ways"),
    };
    for (const planned of this.#planned) await runModel(planned, context);
  }

  /** Returns the measurements so far. */
  report(): PageReport {
    const { backend } = this.#spec;
    return { backend, adapter: this.#adapter, page: this.#page, micro: this.#micro, ...this.#measurements.all() };
  }

  get #site(): Site {
    return this.#page.crossOriginIsolated ? "isolated" : "ordinary";
  }
}

/** Opens what measures a slice. A reading of the memory takes long. */
export async function openInstruments(framePeriodMs: number, readsMemory: boolean): Promise<Instruments> {
  return {
    samples: new SampleBuffer(SAMPLE_CAPACITY),
    frames: new FrameRecorder(),
    longTasks: new LongTaskCounter(),
    mainThread: await MainThreadMeter.open(),
    memory: readsMemory ? await MemoryMeter.open() : null,
    framePeriodMs,
  };
}

async function modelsOf({ ownModel, backend, subset }: RunSpec): Promise<readonly BenchModel[]> {
  if (ownModel !== null) return [await describeModel(ownModel, backend)];
  return subset === "peers" || subset === "ways" ? [...MODELS, ...REAL_MODELS] : MODELS;
}
