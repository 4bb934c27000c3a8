import { createPipelineOn } from "@framebatch/pipelines/builder/create-pipeline.js";
import type { Level, Pipeline, SplitPipeline } from "@framebatch/pipelines/builder/pipeline.js";
import type { PipelineHost } from "@framebatch/pipelines/builder/pipeline-timeline.js";
import type { FaultySteps } from "./faulty-steps.js";
import { mostSlots } from "./most-slots.js";
import { type Part, stepCount } from "./part.js";
import type { PipelineWitness } from "./pipeline-witness.js";
import type { SplitShape, StageShape, StepShape } from "./scenario.js";

/**
 * Builds a random pipeline. Steps are numbered as `PlainSteps` numbers them; the witness learns which index each has in
 * the pipeline.
 */
export class PipelineBuilder {
  readonly #host: PipelineHost;
  readonly #steps: FaultySteps;
  readonly #witness: PipelineWitness;

  constructor(host: PipelineHost, steps: FaultySteps, witness: PipelineWitness) {
    this.#host = host;
    this.#steps = steps;
    this.#witness = witness;
  }

  build(shapes: readonly StepShape[]): Pipeline<Part, Part> {
    this.#place(shapes, 0, 0);
    return this.#pipeline(shapes, 0);
  }

  #pipeline(shapes: readonly StepShape[], first: number): Pipeline<Part, Part> {
    let pipeline = createPipelineOn<Part>(this.#host);
    let step = first;
    for (const shape of shapes) {
      pipeline =
        shape.kind === "split"
          ? this.#branch(pipeline.split(this.#steps.split(step, shape)), shape, step)
          : pipeline.stage(this.#stage(shape, step));
      step += stepCount(shape);
    }
    return pipeline;
  }

  #branch<Outer extends Level>(start: SplitPipeline<Part, Outer>, shape: SplitShape, splitStep: number) {
    let branch = start;
    let step = splitStep + 1;
    for (const each of shape.steps) {
      branch =
        each.kind === "split"
          ? this.#branch(branch.split(this.#steps.split(step, each)), each, step)
          : branch.stage(this.#stage(each, step));
      step += stepCount(each);
    }
    return branch.collect(this.#steps.collect(step, shape.isCollectAsync));
  }

  #stage(shape: StageShape, step: number) {
    switch (shape.kind) {
      case "sync":
        return this.#steps.sync(step);
      case "async":
        return this.#steps.async(step, shape.meanMs);
      case "batched":
        return this.#steps.batched(step, shape.batcher);
      case "inner":
        return this.#pipeline(shape.steps, step + 1);
    }
  }

  /** Tells the witness the index of each step. Returns the next free index. */
  #place(shapes: readonly StepShape[], first: number, firstPlace: number): number {
    let [step, place] = [first, firstPlace];
    for (const shape of shapes) {
      this.#witness.placeOf.set(step, place);
      if (shape.kind === "inner") this.#placeInside(step, stepCount(shape), place);
      else this.#witness.directSteps.set(step, mostSlots(shape));
      place = shape.kind === "split" ? this.#place(shape.steps, step + 1, place + 1) : place;
      step += stepCount(shape);
      if (shape.kind === "split") {
        this.#witness.placeOf.set(step - 1, place);
        this.#witness.directSteps.set(step - 1, 0);
      }
      place += 1;
    }
    return place;
  }

  #placeInside(step: number, count: number, place: number): void {
    for (let inner = step + 1; inner < step + count; inner++) this.#witness.placeOf.set(inner, place);
  }
}
