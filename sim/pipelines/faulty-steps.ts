import { createBatchedFunction, type BatchedFunction } from "@framebatch/batcher/functions/batched-function.js";
import type { StageCallOptions } from "@framebatch/pipelines/builder/pipeline.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { FrameClock } from "@framebatch/host/clock.js";
import { exponential, type Random } from "../batcher/model/random.js";
import { FRAME_MS } from "../batcher/run/virtual-frames.js";
import { hostileSource } from "./hostile-source.js";
import type { PageLoop } from "./page-loop.js";
import { NOBODY, PartError, type Part, type PlainSteps } from "./part.js";
import type { PipelineWitness } from "./pipeline-witness.js";
import type { BatcherShape, PipelineScenario, SplitShape } from "./scenario.js";

/** A page that stays visible. */
const VISIBLE_PAGE: FrameClock = {
  grid: () => ({ originMs: 0, periodMs: FRAME_MS }),
  isHidden: () => false,
  onVisibilityChange: () => () => {},
};

/** What the steps of a random pipeline need. */
export interface StepWorld {
  readonly loop: PageLoop;
  readonly random: Random;
  readonly plain: PlainSteps;
  readonly witness: PipelineWitness;
  readonly scenario: PipelineScenario;
}

/** The functions of a random pipeline: they do what `PlainSteps` does, but later, and fail at random. */
export class FaultySteps {
  readonly #world: StepWorld;
  /** The real batchers, for callers outside the pipeline and for the check that nothing is left in them. */
  readonly batchers: { readonly shape: BatcherShape; readonly call: BatchedFunction<Part, Part> }[] = [];
  /** Sources of parts that have not ended. */
  openSources = 0;

  constructor(world: StepWorld) {
    this.#world = world;
  }

  /** A stage that answers at once. */
  sync(step: number) {
    return (part: Part, options: StageCallOptions): Part => {
      this.#world.witness.called(step, part, options)();
      this.#maybeAbort(part);
      return this.#done(step, part);
    };
  }

  /** A stage that answers later. */
  async(step: number, meanMs: number) {
    const { loop, random, witness } = this.#world;
    return async (part: Part, options: StageCallOptions): Promise<Part> => {
      const returned = witness.called(step, part, options);
      this.#maybeAbort(part);
      await loop.delay(exponential(random, meanMs));
      returned();
      return this.#done(step, part);
    };
  }

  /** A stage with a real batcher. */
  batched(step: number, shape: BatcherShape) {
    const { loop, witness } = this.#world;
    const time = { clock: loop, frames: VISIBLE_PAGE, close: () => {} };
    const { release, maxBatchSize, maxQueueSize, maxLatencyMs } = shape;
    const options = {
      batching: { release },
      maxBatchSize,
      ...(maxQueueSize !== undefined && { maxQueueSize }),
      ...(maxLatencyMs !== undefined && { maxLatencyMs }),
    };
    const call = createBatchedFunction((parts: readonly Part[]) => this.#runBatch(step, shape, parts), options, time);
    this.batchers.push({ shape, call });
    const stage = async (part: Part, callOptions: StageCallOptions): Promise<Part> => {
      const returned = witness.called(step, part, callOptions);
      try {
        return await call(part, callOptions);
      } catch (error) {
        if (error instanceof FramebatchError && error.code === "OVERLOADED") witness.mayRepeat(step, part);
        throw error;
      } finally {
        returned();
      }
    };
    return Object.assign(stage, { stats: () => call.stats() });
  }

  /** The function of a split. */
  split(step: number, shape: SplitShape) {
    const { plain, witness, loop, random } = this.#world;
    return (part: Part): Iterable<Part> | AsyncIterable<Part> | Promise<Iterable<Part>> => {
      witness.tried(step, part);
      this.#maybeAbort(part);
      const parts = plain.parts(part, step, shape);
      if (shape.source === "generator") return this.#generator(step, part, parts);
      if (shape.source === "async") return this.#asyncGenerator(step, part, parts);
      if (shape.source === "hostile") {
        const count = (change: number) => void (this.openSources += change);
        return hostileSource({ items: this.#plainGenerator(step, part, parts), witness, random, count });
      }
      if (shape.source === "promise")
        return loop.delay(5 * random()).then(() => {
          this.#maybeFail(step, part);
          return parts;
        });
      this.#maybeFail(step, part);
      return parts;
    };
  }

  /** The function of a collect. */
  collect(step: number, isAsync: boolean) {
    const { plain, loop, random } = this.#world;
    return (parts: Part[]): Part | Promise<Part> => {
      const result = () => {
        const collected = plain.collected(parts, step);
        this.#maybeAbort(collected);
        this.#maybeFail(step, collected);
        return collected;
      };
      return isAsync ? loop.delay(5 * random()).then(result) : result();
    };
  }

  async #runBatch(
    step: number,
    { fixedMs, perRowMs }: BatcherShape,
    parts: readonly Part[],
  ): Promise<(Part | Error)[]> {
    const { loop, random, witness, scenario } = this.#world;
    for (const part of parts) witness.tried(step, part);
    await loop.delay((fixedMs + perRowMs * parts.length) * (0.5 + random()));
    if (parts.length > 1 && random() < scenario.batchFailRate) throw new RangeError("the batch fails as a whole");
    return parts.map((part) => this.#outcome(step, part));
  }

  #outcome(step: number, part: Part): Part | Error {
    try {
      return this.#done(step, part);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #done(step: number, part: Part): Part {
    this.#maybeFail(step, part);
    return this.#world.plain.staged(part, step);
  }

  /** @throws PartError for a poisoned part, and for others at random. */
  #maybeFail(step: number, part: Part): void {
    const { plain, random, scenario, witness } = this.#world;
    if (part.run === NOBODY) return;
    if (plain.isPoison(part, step) || random() < scenario.failRate) throw witness.failed(new PartError(part, step));
  }

  *#generator(step: number, item: Part, parts: readonly Part[]): Generator<Part> {
    this.openSources += 1;
    try {
      yield* this.#plainGenerator(step, item, parts);
    } finally {
      this.openSources -= 1;
    }
  }

  *#plainGenerator(step: number, item: Part, parts: readonly Part[]): Generator<Part> {
    for (const part of parts) {
      this.#maybeAbort(part);
      yield part;
    }
    this.#maybeFail(step, item);
  }

  /** A function of the caller that ends the run which calls it. */
  #maybeAbort({ run }: Part): void {
    const { random, scenario, witness } = this.#world;
    if (scenario.selfAbortRate > 0 && random() < scenario.selfAbortRate) witness.aborts.get(run)?.();
  }

  async *#asyncGenerator(step: number, item: Part, parts: readonly Part[]): AsyncGenerator<Part> {
    const { loop, random } = this.#world;
    this.openSources += 1;
    try {
      for (const part of parts) {
        if (random() < 0.5) await loop.delay(5 * random());
        yield part;
      }
      this.#maybeFail(step, item);
    } finally {
      this.openSources -= 1;
    }
  }
}
