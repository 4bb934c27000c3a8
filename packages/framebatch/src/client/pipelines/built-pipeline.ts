import { predictStream } from "../../core/batcher/predict-stream.js";
import { FramebatchError } from "../../core/errors.js";
import { splitPath } from "../../core/pipeline/open-split.js";
import { inOrder } from "../../core/pipeline/in-order.js";
import { emptyPath, joinPaths, type Path } from "../../core/pipeline/path.js";
import { PipelineEntrance } from "../../core/pipeline/pipeline-entrance.js";
import { PipelineRuns } from "../../core/pipeline/pipeline-runs.js";
import type { PipelineStats } from "../../core/pipeline/pipeline-stats.js";
import type { StepInfo } from "../../core/pipeline/step-info.js";
import { PartInContext } from "../../core/pipeline/stage-context.js";
import { stagePath } from "../../core/pipeline/visit.js";
import type { Source } from "../../core/source-reader.js";
import type { PredictOptions } from "../options/options.js";
import { checkPredictOptions } from "../options/predict-options.js";
import { asyncDispose } from "../page/async-dispose.js";
import { enqueueAbortable } from "../requests/abortable.js";
import { PromiseSink } from "../requests/sinks.js";
import { StreamRequests } from "../requests/stream-requests.js";
import { forParts, type Stage } from "../../core/pipeline/stage.js";
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
import { checkFunction, describeStep } from "./step-names.js";
import { targetSizeOf } from "./target-size.js";
import type { PipelineHost } from "./pipeline-host.js";

type SplitFunction<Item, Part> = (item: Item) => Source<Part> | PromiseLike<Source<Part>>;

/** A pipeline that can run. */
export class BuiltPipeline<In, Out> implements Pipeline<In, Out> {
  readonly #host: PipelineHost;
  readonly #path: Path<In, Out>;
  readonly #steps: readonly StepInfo[];
  readonly #runs: PipelineRuns<In, Out>;
  readonly #entrance: PipelineEntrance<In, Out>;

  constructor(host: PipelineHost, steps: readonly StepInfo[], path: Path<In, Out>) {
    const { timer, timeline } = host;
    this.#host = host;
    this.#steps = steps;
    this.#path = path;
    this.#runs = new PipelineRuns({ path, steps, timer, onRunEnded: (spans) => timeline.ended(steps, spans) });
    this.#entrance = new PipelineEntrance(this.#runs);
  }

  /**
   * Returns what works on the parts of a stage. A pipeline takes them directly, and not by a call of `run`, so that in a
   * stream it lets them wait.
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
  stage(
    stage: PipelineStage<unknown, unknown>,
    options: ContextOptions<Out, unknown, unknown, unknown> = {},
  ): Pipeline<In, unknown> {
    const { steps, path } = withStage(this.#steps, BuiltPipeline.stageOf(stage, options), stage, options);
    return this.#resume(steps, path);
  }

  split<Part>(split: SplitFunction<Out, Part>, options: StepOptions = {}): SplitPipeline<Part, TopLevel<In>> {
    const outer: OuterPipeline<Out, TopLevel<In>> = { resume: (steps, path) => this.#resume(steps, path) };
    return startSplit(this.#steps, split, options, outer);
  }

  run(item: In, options: PredictOptions = {}): Promise<Out> {
    return new Promise((resolve, reject) => {
      checkPredictOptions(options);
      enqueueAbortable(this.#runs, item, new PromiseSink(resolve, reject), options);
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

  #resume<Next>(steps: readonly StepInfo[], path: Path<Out, Next>): Pipeline<In, Next> {
    const before = this.#steps.length === 0 ? this.#path : inOrder(this.#path);
    return new BuiltPipeline(this.#host, steps, joinPaths(before, path));
  }
}

/** The pipeline around a split, which `collect` continues with the path of the whole split. */
interface OuterPipeline<Item, L extends Level> {
  resume<Result>(steps: readonly StepInfo[], path: Path<Item, Result>): AtLevel<L, Result>;
}

/** The parts of a split from its start up to here. */
interface OpenBranch<Item, First, Part, Outer extends Level> {
  readonly steps: readonly StepInfo[];
  readonly splitIndex: number;
  readonly split: SplitFunction<Item, First>;
  readonly path: Path<First, Part>;
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
  stage(
    stage: PipelineStage<unknown, unknown>,
    options: ContextOptions<Part, unknown, unknown, unknown> = {},
  ): SplitPipeline<unknown, Outer> {
    const called = forParts(BuiltPipeline.stageOf(stage, options));
    const { steps, path } = withStage(this.#branch.steps, called, stage, options);
    return this.#resume(steps, path);
  }

  split<Inner>(split: SplitFunction<Part, Inner>, options: StepOptions = {}): SplitPipeline<Inner, PartLevel<Outer>> {
    const outer: OuterPipeline<Part, PartLevel<Outer>> = { resume: (steps, path) => this.#resume(steps, path) };
    return startSplit(this.#branch.steps, split, options, outer);
  }

  collect<Result>(
    collect: (parts: Part[]) => Result | PromiseLike<Result>,
    options: StepOptions = {},
  ): AtLevel<Outer, Result> {
    checkFunction("collect", collect, "(parts) => result");
    const { steps, splitIndex, split, path, outer } = this.#branch;
    const collectIndex = steps.length;
    const all = [...steps, describeStep("collect", collectIndex, options)];
    return outer.resume(all, splitPath({ splitIndex, collectIndex, split, path, collect }));
  }

  #resume<Next>(steps: readonly StepInfo[], path: Path<Part, Next>): SplitPipeline<Next, Outer> {
    return new BuiltBranch({ ...this.#branch, steps, path: joinPaths(this.#branch.path, path) });
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
  return new BuiltBranch({ steps: all, splitIndex, split, path: emptyPath<Part>, outer });
}

/** @param called the stage as it takes parts @param stage the stage as the caller has given it */
function withStage<Value>(
  steps: readonly StepInfo[],
  called: Stage<unknown, unknown>,
  stage: unknown,
  options: ContextOptions<Value, unknown, unknown, unknown>,
) {
  const index = steps.length;
  const info = { ...describeStep("stage", index, options), targetSize: () => targetSizeOf(stage) };
  const context = contextOf(options);
  const forPart = (): Stage<Value, unknown> => (context === null ? called : new PartInContext(called, context));
  return { steps: [...steps, info], path: stagePath(index, forPart) };
}

/** Returns what a stage takes of its values and makes of its results; `null` if both are as they are. */
function contextOf<Value>({ toItem, toResult }: ContextOptions<Value, unknown, unknown, unknown>) {
  if (toItem !== undefined) checkFunction("toItem", toItem, "(value) => item");
  if (toResult !== undefined) checkFunction("toResult", toResult, "(result, value) => next");
  if (toItem === undefined && toResult === undefined) return null;
  return { toItem: toItem ?? ((value: Value) => value), toResult: toResult ?? ((result: unknown) => result) };
}
