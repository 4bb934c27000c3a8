import { predictStream } from "@framebatch/batcher/calls/predict-stream.js";
import { StreamRequests } from "@framebatch/batcher/calls/stream-requests.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { collectPath, splitPath } from "../runs/split-path.js";
import { inOrder } from "../runs/in-order.js";
import { joinPaths, type Path } from "../runs/path.js";
import { PipelineEntrance, PipelineRuns } from "../runs/pipeline-runs.js";
import type { PipelineStats, StepInfo } from "../runs/pipeline-stats.js";
import type { Source } from "@framebatch/batcher/calls/source-reader.js";
import type { PredictOptions } from "@framebatch/batcher/options/options.js";
import { checkPredictOptions } from "@framebatch/batcher/options/predict-options.js";
import { asyncDispose } from "@framebatch/host/async-dispose.js";
import { enqueueAbortable } from "@framebatch/batcher/calls/abortable.js";
import { forParts, type Stage } from "../runs/stage.js";
import { CalledStage } from "./called-stage.js";
import type {
  AtLevel,
  ContextOptions,
  Level,
  PartLevel,
  Pipeline,
  PipelineStage,
  SplitPipeline,
  StageOptions,
  StepOptions,
  TopLevel,
} from "./pipeline.js";
import {
  checkFunction,
  describeStep,
  type AnyStageOptions,
  noSteps,
  type PathSoFar,
  withStage,
} from "./path-so-far.js";
import type { PipelineHost } from "./create-pipeline.js";

type SplitFunction<Item, Part> = (item: Item) => Source<Part> | PromiseLike<Source<Part>>;

/** A pipeline that can run. */
export class BuiltPipeline<In, Out> implements Pipeline<In, Out> {
  readonly #host: PipelineHost;
  readonly #soFar: PathSoFar<In, Out>;
  readonly #runs: PipelineRuns<In, Out>;
  readonly #entrance: PipelineEntrance<In, Out>;

  constructor(host: PipelineHost, soFar: PathSoFar<In, Out>) {
    const { timer, timeline } = host;
    const { steps, path } = soFar;
    this.#host = host;
    this.#soFar = soFar;
    this.#runs = new PipelineRuns({ path, steps, timer, onRunEnded: (spans) => timeline.ended(steps, spans) });
    this.#entrance = new PipelineEntrance(this.#runs);
  }

  /**
   * Returns what works on the parts of a stage. A pipeline takes them directly, and not by a call of `run`, so that in
   * a stream it lets them wait.
   * @throws INVALID_OPTION when the stage is neither a model, nor a pipeline, nor a function.
   */
  static stageOf<Item, Result>(stage: PipelineStage<Item, Result>, options: StageOptions): Stage<Item, Result> {
    const isDirect = stage instanceof BuiltPipeline && options.transfer !== true && options.sequence !== true;
    return isDirect ? stage.#runs : new CalledStage(stage, options);
  }

  stage<Next>(stage: PipelineStage<Out, Next>, options?: StageOptions): Pipeline<In, Next>;
  stage<Item, Result, Next>(
    stage: PipelineStage<Item, Result>,
    options: ContextOptions<Out, Item, Result, Next>,
  ): Pipeline<In, Next>;
  stage(stage: PipelineStage<unknown, unknown>, options: AnyStageOptions<Out> = {}): Pipeline<In, unknown> {
    const called = BuiltPipeline.stageOf(stage, options);
    const added = { stage, options, called, adapt: unchanged, isOrdered: true };
    return new BuiltPipeline(this.#host, withStage(this.#soFar, added));
  }

  split<Part>(split: SplitFunction<Out, Part>, options: StepOptions = {}): SplitPipeline<Part, TopLevel<In>> {
    const outer: OuterPipeline<Out, TopLevel<In>> = { resume: (...whole) => this.#resume(...whole) };
    return startSplit(this.#soFar.steps, split, options, outer);
  }

  run(item: In, options: PredictOptions = {}): Promise<Out> {
    return new Promise((resolve, reject) => {
      checkPredictOptions(options);
      enqueueAbortable(this.#runs, item, { resolve, reject }, options);
    });
  }

  runStream(
    source: Iterable<In> | AsyncIterable<In>,
    options: Omit<PredictOptions, "key"> = {},
  ): AsyncGenerator<Out, void, undefined> {
    const settings = { admit: (item: In) => item, options, checkOptions: checkPredictOptions };
    return predictStream(source, new StreamRequests(this.#entrance.ofStream(), settings));
  }

  stats(): PipelineStats {
    return this.#runs.stats();
  }

  resetStats(): void {
    this.#runs.resetStats();
  }

  dispose(): Promise<void> {
    const message = "expected a pipeline in use, got one that was disposed of; create a new one";
    this.#runs.dispose(new FramebatchError("DISPOSED", message));
    this.#entrance.changed();
    return Promise.resolve();
  }

  [asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #resume<Part, Next>(
    steps: readonly StepInfo[],
    parts: Path<Out, Part[]>,
    collect: Path<Part[], Next>,
  ): Pipeline<In, Next> {
    const { path: before } = this.#soFar;
    const ordered = this.#soFar.steps.length === 0 ? before : inOrder(before);
    const path = joinPaths(ordered, joinPaths(inOrder(parts), collect));
    return new BuiltPipeline(this.#host, { steps, path, end: null });
  }
}

function unchanged<Item, Result>(stage: Stage<Item, Result>): Stage<Item, Result> {
  return stage;
}

/** The pipeline around a split, which `collect` continues with the path to the results of its parts, and its own. */
interface OuterPipeline<Item, L extends Level> {
  resume<Part, Result>(
    steps: readonly StepInfo[],
    parts: Path<Item, Part[]>,
    collect: Path<Part[], Result>,
  ): AtLevel<L, Result>;
}

/** The parts of a split from its start up to here. */
interface OpenBranch<Item, First, Part, Outer extends Level> {
  readonly splitIndex: number;
  readonly split: SplitFunction<Item, First>;
  readonly soFar: PathSoFar<First, Part>;
  readonly outer: OuterPipeline<Item, Outer>;
}

/** A pipeline between a split and its collect. */
class BuiltBranch<Item, First, Part, Outer extends Level> implements SplitPipeline<Part, Outer> {
  readonly #branch: OpenBranch<Item, First, Part, Outer>;

  constructor(branch: OpenBranch<Item, First, Part, Outer>) {
    this.#branch = branch;
  }

  stage<Next>(stage: PipelineStage<Part, Next>, options?: StageOptions): SplitPipeline<Next, Outer>;
  stage<Item, Result, Next>(
    stage: PipelineStage<Item, Result>,
    options: ContextOptions<Part, Item, Result, Next>,
  ): SplitPipeline<Next, Outer>;
  stage(stage: PipelineStage<unknown, unknown>, options: AnyStageOptions<Part> = {}): SplitPipeline<unknown, Outer> {
    const called = BuiltPipeline.stageOf(stage, options);
    const soFar = withStage(this.#branch.soFar, { stage, options, called, adapt: forParts, isOrdered: false });
    return new BuiltBranch({ ...this.#branch, soFar });
  }

  split<Inner>(split: SplitFunction<Part, Inner>, options: StepOptions = {}): SplitPipeline<Inner, PartLevel<Outer>> {
    const outer: OuterPipeline<Part, PartLevel<Outer>> = { resume: (...whole) => this.#resume(...whole) };
    return startSplit(this.#branch.soFar.steps, split, options, outer);
  }

  collect<Result>(
    collect: (parts: Part[]) => Result | PromiseLike<Result>,
    options: StepOptions = {},
  ): AtLevel<Outer, Result> {
    checkFunction("collect", collect, "(parts) => result");
    const { splitIndex, split, outer } = this.#branch;
    const { steps, path } = this.#branch.soFar;
    const collectIndex = steps.length;
    const all = [...steps, describeStep("collect", collectIndex, options)];
    return outer.resume(all, splitPath({ splitIndex, split, path }), collectPath(collectIndex, collect));
  }

  #resume<Inner, Next>(
    steps: readonly StepInfo[],
    parts: Path<Part, Inner[]>,
    collect: Path<Inner[], Next>,
  ): SplitPipeline<Next, Outer> {
    const path = joinPaths(this.#branch.soFar.path, joinPaths(parts, collect));
    return new BuiltBranch({ ...this.#branch, soFar: { steps, path, end: null } });
  }
}

function startSplit<Item, Part, Outer extends Level>(
  steps: readonly StepInfo[],
  split: SplitFunction<Item, Part>,
  options: StepOptions,
  outer: OuterPipeline<Item, Outer>,
): SplitPipeline<Part, Outer> {
  checkFunction("split", split, "(item) => parts");
  const splitIndex = steps.length;
  const all = [...steps, describeStep("split", splitIndex, options)];
  return new BuiltBranch({ splitIndex, split, soFar: noSteps<Part>(all), outer });
}
