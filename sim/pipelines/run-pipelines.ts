import { createRandom, type Random, streamSeed } from "../batcher/model/random.js";
import { callRuns, compete, type Stage } from "./actors.js";
import { PipelineBuilder } from "./build-pipeline.js";
import { FaultySteps } from "./faulty-steps.js";
import { allSlots } from "./most-slots.js";
import { PageLoop } from "./page-loop.js";
import { type Part, PlainSteps } from "./part.js";
import { PipelineWitness } from "./pipeline-witness.js";
import { drawPipelineScenario, type PipelineScenario } from "./scenario.js";
import { StreamReader } from "./stream-reader.js";
import { checkEndings, checkEntrance, checkSpans, checkStats, checkStreams, type RunSpans } from "./stats-checks.js";
import { holds } from "./violation.js";

/** The outcome of a scenario. */
export interface PipelineFuzzResult {
  readonly runs: number;
  readonly parts: number;
  readonly traceHash: number;
}

/**
 * Runs one random scenario drawn from a seed.
 * @throws PipelineViolation when an invariant does not hold.
 */
export function runPipelineSeed(seed: number): Promise<PipelineFuzzResult> {
  return runPipelineScenario(drawPipelineScenario(createRandom(streamSeed(seed, "pipeline"))), seed);
}

/**
 * Runs a given scenario. The seed decides what the scenario leaves to chance.
 * @throws PipelineViolation when an invariant does not hold.
 */
export async function runPipelineScenario(scenario: PipelineScenario, seed: number): Promise<PipelineFuzzResult> {
  const trial = new Trial(scenario, seed);
  await trial.run();
  return trial.result();
}

/** Disturbances happen in this time from the start, in milliseconds. */
const DISTURBED_MS = 300;
const COMPETITIONS = 40;
/** The number of events between two checks of everything that is open. */
const CHECKS_EVERY = 8;
/** The number of events between two looks at the statistics, which take longer than most events. */
const STATS_EVERY = 128;

/** One run of a scenario. */
class Trial {
  readonly #scenario: PipelineScenario;
  readonly #loop = new PageLoop();
  readonly #witness = new PipelineWitness(this.#loop);
  readonly #steps: FaultySteps;
  readonly #stage: Stage;
  readonly #readers: readonly StreamReader[];
  readonly #random: Random;
  #wasReset = false;

  constructor(scenario: PipelineScenario, seed: number) {
    this.#scenario = scenario;
    const random = (stream: string) => createRandom(streamSeed(seed, stream));
    const plain = new PlainSteps(seed, scenario.poisonRate);
    const [loop, witness] = [this.#loop, this.#witness];
    this.#random = random("page");
    this.#steps = new FaultySteps({ loop, random: random("steps"), plain, witness, scenario });
    const timeline = { ended: (...run: RunSpans) => witness.check(() => checkSpans(...run, loop.now())) };
    const pipeline = new PipelineBuilder({ timer: loop, timeline }, this.#steps, witness).build(scenario.steps);
    const expected = (item: Part) => plain.result(item, scenario.steps, 0);
    this.#stage = { loop, random: random("callers"), pipeline, witness, expected };
    this.#readers = scenario.streams.map((shape) => new StreamReader(this.#stage, shape));
  }

  async run(): Promise<void> {
    this.#loop.onTimer = () => {
      const isIdle =
        this.#witness.open + this.#witness.competitors === 0 && !this.#readers.some(({ isOpen }) => isOpen);
      this.#witness.check(() => holds(!isIdle, "P-9", () => "a timer fired while nothing was open"));
    };
    this.#loop.afterEvent = () => this.#checkEvent();
    this.#loop.after(0, () => this.#begin());
    this.#disturb();
    const hasEnded = await this.#loop.run();
    holds(hasEnded, "P-10", () => "the scenario never comes to rest");
    this.#checkEnd();
  }

  result(): PipelineFuzzResult {
    const parts = this.#stage.pipeline.stats().stages.reduce((sum, { accepted }) => sum + accepted, 0);
    return { runs: this.#witness.runs.length, parts, traceHash: this.#witness.trace.hash };
  }

  #begin(): void {
    void callRuns(this.#stage, this.#scenario.callers);
    for (const reader of this.#readers) void reader.read();
  }

  #disturb(): void {
    const { pipeline } = this.#stage;
    const at = (action: () => void) => this.#loop.after(DISTURBED_MS * this.#random(), action);
    for (let i = 0; i < COMPETITIONS; i++) at(() => compete(this.#steps, this.#stage));
    if (this.#scenario.resets) at(() => this.#reset());
    if (this.#scenario.isDisposed) {
      at(() => {
        this.#witness.disposed();
        void pipeline.dispose();
      });
    }
  }

  #reset(): void {
    this.#wasReset = true;
    this.#stage.pipeline.resetStats();
  }

  #checkEvent(): void {
    const { broken, open } = this.#witness;
    if (broken !== null) throw broken;
    if (this.#loop.event % CHECKS_EVERY !== 0) return;
    this.#witness.checkEnded();
    // An inner pipeline without steps takes an item unseen.
    if (this.#scenario.steps[0]?.kind !== "inner") checkEntrance(this.#readers);
    this.#witness.checkSlots();
    checkStreams(this.#readers, allSlots(this.#scenario.steps));
    if (this.#loop.event % STATS_EVERY !== 0) return;
    const stats = this.#stage.pipeline.stats();
    checkStats(stats, this.#readers.length === 0 ? open : null);
  }

  #checkEnd(): void {
    const { runs } = this.#witness;
    const stats = this.#stage.pipeline.stats();
    for (const { id, ending } of runs) holds(ending !== null, "P-1", () => `run ${id} never settled`);
    for (const reader of this.#readers) {
      holds(!reader.isOpen, "P-1", () => "a stream never ended");
      holds(!reader.isSourceOpen, "P-5", () => "the source of a stream is open after its end");
    }
    holds(this.#steps.openSources === 0, "P-5", () => `${this.#steps.openSources} sources of parts are still open`);
    for (const { call } of this.#steps.batchers) {
      const { queued, inFlight } = call.stats().requests;
      holds(queued + inFlight === 0, "P-9", () => `${queued} parts are queued and ${inFlight} in flight at the end`);
    }
    checkStats(stats, 0);
    if (!this.#wasReset && this.#readers.length === 0) checkEndings(stats, runs);
  }
}
