import { runPipelineSeed } from "./run-pipelines.js";
import { PipelineViolation } from "./violation.js";

/** Every 1,000th seed runs twice, and the two traces are compared. */
const REPEAT_EVERY = 1000;

/** The outcome of many scenarios. `failure` tells the first seed that breaks an invariant. */
export interface PipelineFuzzReport {
  readonly scenarios: number;
  readonly runs: number;
  readonly parts: number;
  readonly failure: string | null;
}

/** Runs `count` seeds from `firstSeed` on, and stops at the first that breaks an invariant. */
export async function fuzzPipelines(firstSeed: number, count: number): Promise<PipelineFuzzReport> {
  let [scenarios, runs, parts] = [0, 0, 0];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    scenarios++;
    try {
      const result = await runPipelineSeed(seed);
      runs += result.runs;
      parts += result.parts;
      if (seed % REPEAT_EVERY === 0 && (await runPipelineSeed(seed)).traceHash !== result.traceHash)
        throw new PipelineViolation("determinism", "the same seed had two traces");
    } catch (error) {
      return { scenarios, runs, parts, failure: `seed ${seed} breaks ${described(error)}` };
    }
  }
  return { scenarios, runs, parts, failure: null };
}

/** An error that no check has thrown comes from the pipeline itself, and its stack tells where. */
function described(error: unknown): string {
  if (error instanceof PipelineViolation) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Runs `count` seeds and prints the outcome. Returns whether every invariant held. */
export async function runPipelineFuzz(firstSeed: number, count: number): Promise<boolean> {
  const startedAtMs = performance.now();
  const { scenarios, runs, parts, failure } = await fuzzPipelines(firstSeed, count);
  const seconds = (performance.now() - startedAtMs) / 1000;
  if (failure !== null) console.log(failure);
  console.log(
    `${scenarios} pipelines, ${runs} runs, ${parts} parts in ${seconds.toFixed(1)} s (${(scenarios / seconds).toFixed(0)} pipelines/s)`,
  );
  return failure === null;
}
