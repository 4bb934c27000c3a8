import { inOrder } from "../runs/in-order.js";
import { emptyPath, joinPaths, type Path } from "../runs/path.js";
import { type Stage, PartInContext, type StageContext } from "../runs/stage.js";
import type { StepInfo, StepKind } from "../runs/pipeline-stats.js";
import { StreamLines, stagePath } from "../runs/stage-path.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { copyOptions } from "@framebatch/batcher/options/copy-options.js";
import type { LinkedModel } from "./links.js";
import { areJoined, linkedModelOf, checkLinks, itemFrom, type Links } from "./link-item.js";
import { KeepingStage, passingStage, readingStage, type LinkedOutputs, ownedByRun } from "./link-stages.js";
import type { ContextOptions, PipelineStage, StepOptions } from "./pipeline.js";
import { isOptionsObject, checkNames } from "@framebatch/batcher/options/option-checks.js";

/** The steps of a pipeline or a branch so far. */
export interface PathSoFar<In, Out> {
  readonly steps: readonly StepInfo[];
  readonly path: Path<In, Out>;
  /** The last stage, if it is a model whose outputs the next one may read where they are; otherwise `null`. */
  readonly end: LinkEnd<In> | null;
}

/** A last stage whose outputs may stay in the worker. */
interface LinkEnd<In> {
  readonly model: LinkedModel;
  /** Returns the path on which these outputs stay there. */
  readonly keeping: (outputs: readonly string[]) => Path<In, LinkedOutputs>;
}

/** A stage to add. */
export interface AddedStage<Value> {
  readonly stage: PipelineStage<unknown, unknown>;
  readonly options: AnyStageOptions<Value>;
  /** What takes the parts of the stage if no link does. */
  readonly called: Stage<unknown, unknown>;
  /** Adapts every stage of the path. */
  readonly adapt: <Item, Result>(stage: Stage<Item, Result>) => Stage<Item, Result>;
  /** Whether results go on in the order of their items. */
  readonly isOrdered: boolean;
}

/** The options of any stage. */
export interface AnyStageOptions<Value> extends ContextOptions<Value, unknown, unknown, unknown> {
  readonly inputs?: Links;
}

export function noSteps<Item>(steps: readonly StepInfo[] = []): PathSoFar<Item, Item> {
  return { steps, path: emptyPath<Item>, end: null };
}

/** @throws INVALID_OPTION when the stage or its options are wrong */
export function withStage<In, Value>(soFar: PathSoFar<In, Value>, given: AddedStage<Value>): PathSoFar<In, unknown> {
  const { stage } = given;
  const options = copyOptions(given.options);
  const added = { ...given, options };
  const index = soFar.steps.length;
  const info = { ...describeStep("stage", index, options), targetSize: () => targetSizeOf(stage) };
  return { steps: [...soFar.steps, info], ...(linkedEnd(soFar, added, index) ?? plainEnd(soFar, added, index)) };
}

type PathEnd<In> = Omit<PathSoFar<In, unknown>, "steps">;

/** A stage that reads outputs of the one before where they are; `null` if it is none. */
function linkedEnd<In, Value>(
  { end }: PathSoFar<In, Value>,
  { stage, options, adapt, isOrdered }: AddedStage<Value>,
  index: number,
): PathEnd<In> | null {
  const { inputs, toItem, toResult, transfer, sequence } = options;
  if (inputs === undefined) return null;
  checkLinks(inputs);
  if (toItem !== undefined)
    throw optionError("toItem", "no value, because inputs is set", toItem, "leave one of them out");
  const model = linkedModelOf(stage);
  const areLinked = areJoined(inputs, end?.model ?? null, model);
  if (end === null || model === null || !areLinked || toResult !== undefined) return null;
  if (transfer === true || sequence === true) return null;
  const read = end.keeping([...new Set(Object.values(inputs))]);
  const before = isOrdered ? inOrder(read) : read;
  const reading = adapt(readingStage(model, inputs));
  const keeping = (outputs: readonly string[]) => {
    const passing = adapt(passingStage(model, inputs, outputs));
    return joinPaths(
      before,
      joinPaths(
        stagePath(index, () => passing),
        ownedByRun,
      ),
    );
  };
  return {
    path: joinPaths(
      before,
      stagePath(index, () => reading),
    ),
    end: { model, keeping },
  };
}

function plainEnd<In, Value>(
  { path, steps }: PathSoFar<In, Value>,
  { stage, options, called, adapt, isOrdered }: AddedStage<Value>,
  index: number,
): PathEnd<In> {
  const before = isOrdered && steps.length > 0 ? inOrder(path) : path;
  const context = contextOf(options);
  // A step that the model refuses for now asks again before the next one, which needs the state that it leaves.
  const lines = isOrdered && options.sequence === true ? new StreamLines() : null;
  const calls = stagePath<Value, unknown>(index, stageIn(adapt(called), context), lines);
  const isLast = options.transfer !== true && options.sequence !== true && options.toResult === undefined;
  const model = isLast ? linkedModelOf(stage) : null;
  if (model === null) return { path: joinPaths(before, calls), end: null };
  const keeping = (outputs: readonly string[]) => {
    const kept = stageIn<Value, LinkedOutputs>(
      adapt(new KeepingStage(model, outputs)),
      context && { ...context, toResult: asItIs },
    );
    return joinPaths(before, joinPaths(stagePath(index, kept), ownedByRun));
  };
  return { path: joinPaths(before, calls), end: { model, keeping } };
}

/** Returns what makes the stage of each part. */
function stageIn<Value, Result>(
  stage: Stage<unknown, Result>,
  context: StageContext<Value, unknown, Result, Result> | null,
): () => Stage<Value, Result> {
  return () => (context === null ? stage : new PartInContext(stage, context));
}

function asItIs<Result>(result: Result): Result {
  return result;
}

/** Returns what a stage takes of its values and makes of its results; `null` if both are as they are. */
function contextOf<Value>(options: AnyStageOptions<Value>) {
  const { inputs, toResult = asItIs } = options;
  const toItem = inputs === undefined ? options.toItem : (value: Value) => itemFrom(inputs, value);
  if (toItem !== undefined) checkFunction("toItem", toItem, "(value) => item");
  checkFunction("toResult", toResult, "(result, value) => next");
  if (toItem === undefined && toResult === asItIs) return null;
  return { toItem: toItem ?? ((value: Value) => value), toResult };
}

/**
 * Returns the batch size with the best rate for a stage, as its statistics report it: that of a model or a `batched`
 * function, or that of the widest stage of a pipeline. Returns 1 for a stage without statistics, or if they fail or
 * make no sense: any wrapper may have a method of this name.
 */
function targetSizeOf(stage: unknown): number {
  try {
    const size = hasStats(stage) ? sizeIn(stage.stats()) : 1;
    return Number.isFinite(size) ? Math.max(1, size) : 1;
  } catch {
    return 1;
  }
}

function hasStats(stage: unknown): stage is { stats(): unknown } {
  const isObject = (typeof stage === "object" && stage !== null) || typeof stage === "function";
  return isObject && "stats" in stage && typeof stage.stats === "function";
}

function sizeIn(stats: unknown): number {
  if (!isOptionsObject(stats)) return 1;
  const { cost, stages } = stats;
  if (Array.isArray(stages)) return Math.max(...stages.map(({ slots }) => Number(slots) / 2));
  return isOptionsObject(cost) && typeof cost["targetSize"] === "number" ? cost["targetSize"] : 1;
}

/**
 * Returns the description of a step.
 * @param index the place of the step in the pipeline
 * @throws INVALID_OPTION when an option has a wrong name or value.
 */
export function describeStep(kind: StepKind, index: number, options: StepOptions): StepInfo {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  checkNames(options, kind === "stage" ? ["name", "transfer", "sequence", "toItem", "toResult", "inputs"] : ["name"]);
  const { name = `${kind} ${index}` } = options;
  if (typeof name !== "string" || name === "")
    throw optionError("name", "a string of at least one character", name, `leave it out for "${kind} ${index}"`);
  return { kind, name };
}

/** Checks a function of the caller. @throws INVALID_OPTION when it is not a function. */
export function checkFunction(name: string, value: unknown, example: string): void {
  if (typeof value !== "function") throw optionError(name, "a function", value, `write ${example}`);
}
