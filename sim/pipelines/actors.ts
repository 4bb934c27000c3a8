import type { Pipeline } from "@framebatch/pipelines/builder/pipeline.js";
import { exponential, type Random } from "../batcher/model/random.js";
import type { FaultySteps } from "./faulty-steps.js";
import type { PageLoop } from "./page-loop.js";
import { NOBODY, type Part } from "./part.js";
import type { PipelineWitness } from "./pipeline-witness.js";
import type { RunFacts } from "./run-record.js";
import type { CallerShape } from "./scenario.js";

/** The objects that callers act on. */
export interface Stage {
  readonly loop: PageLoop;
  readonly random: Random;
  readonly pipeline: Pipeline<Part, Part>;
  readonly witness: PipelineWitness;
  /** The right result of an item; `null` if a step fails for certain. */
  readonly expected: (item: Part) => Part | null;
}

const LONGEST_TIMEOUT_MS = 300;
const LONGEST_PATIENCE_MS = 60;
const KEYS = 3;
const MOST_COMPETITORS = 12;

/** Makes the calls of `run`: in bursts, with options at random, some of them aborted. */
export async function callRuns(stage: Stage, shape: CallerShape): Promise<void> {
  const { loop, random } = stage;
  for (let made = 0; made < shape.runs;) {
    for (let burst = 0; burst < shape.burst && made < shape.runs; burst++, made++) callRun(stage, shape);
    await loop.delay(exponential(random, shape.meanGapMs));
  }
}

function callRun({ loop, random, pipeline, witness, expected }: Stage, shape: CallerShape): void {
  const facts: RunFacts = {
    isLimited: false,
    ...(random() < shape.keyRate && { key: `key ${Math.floor(random() * KEYS)}` }),
    ...(random() < shape.timeoutRate && { timeoutMs: 1 + LONGEST_TIMEOUT_MS * random() }),
    ...(random() < 0.3 && { priority: random() < 0.5 ? ("background" as const) : ("user-blocking" as const) }),
  };
  const { isLimited: _, ...options } = facts;
  const controller = new AbortController();
  const run = witness.starts(facts, expected);
  const abort = () => {
    if (controller.signal.aborted) return;
    const reason = { run };
    witness.aborted(run, reason);
    controller.abort(reason);
  };
  witness.aborts.set(run.id, abort);
  pipeline.run(run.item, { ...options, signal: controller.signal }).then(
    (result) => witness.completed(run, result),
    (error: unknown) => witness.rejected(run, error),
  );
  if (random() >= shape.abortRate) return;
  if (random() < 0.3) abort();
  else loop.after(LONGEST_PATIENCE_MS * random(), abort);
}

/** Makes requests to the batchers of the pipeline that are not the pipeline's, as other code of a page would. */
export function compete(steps: FaultySteps, { random, witness }: Stage): void {
  for (const { shape, call } of steps.batchers) {
    if (random() >= shape.competition) continue;
    const settled = () => void (witness.competitors -= 1);
    for (let left = 1 + Math.floor(random() * MOST_COMPETITORS); left > 0; left--) {
      witness.competitors += 1;
      call({ run: NOBODY, trail: "other" }).then(settled, settled);
    }
  }
}
