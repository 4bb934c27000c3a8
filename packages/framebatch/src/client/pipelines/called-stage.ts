import type { PartOptions, Stage, StageSink } from "../../core/pipeline/stage.js";
import type { Priority } from "../../core/queue/priority.js";
import { STAYS, type Ticket } from "../../core/queue/request.js";
import { optionError } from "../../core/tensor/option-errors.js";
import { isOptionsObject } from "../options/option-checks.js";
import { checkTransfer } from "../options/predict-options.js";
import { createPriorityController } from "../page/host.js";
import { SignalRequests } from "../requests/abortable.js";
import type { PipelineStage, StageCallOptions, StageOptions } from "./pipeline.js";

type StageModel<In, Out> = Extract<PipelineStage<In, Out>, { predict: unknown }>;
type StagePipeline<In, Out> = Extract<PipelineStage<In, Out>, { run: unknown }>;
type StageCall<In, Out> = Extract<PipelineStage<In, Out>, (...args: never) => unknown>;

/** A stage that is called once for each part: a model, a pipeline or a function. */
export class CalledStage<In, Out> implements Stage<In, Out> {
  readonly #call: StageCall<In, Out>;

  /** @throws INVALID_OPTION when the stage is none of them, or is asked for `transfer` and not a model. */
  constructor(stage: PipelineStage<In, Out>, { transfer = false }: StageOptions) {
    checkTransfer(transfer, "transfer");
    this.#call = transfer ? movingCallOf(stage) : callOf(stage);
  }

  enqueue(item: In, sink: StageSink<Out>, { priority, timeoutMs, stream }: PartOptions): Ticket {
    const tasks = createPriorityController(priority ?? "user-visible");
    const controller = tasks ?? new AbortController();
    if (tasks !== null) SignalRequests.of(tasks.signal).isOfStage = true;
    const options: StageCallOptions & { priority?: Priority } = {
      signal: controller.signal,
      ...(priority !== undefined && { priority }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(stream !== undefined && { [STAYS]: true }),
    };
    void this.#settle(item, sink, options);
    return {
      cancel: (reason) => controller.abort(reason),
      setPriority(changed) {
        // A function that passes its options on later passes on what counts then.
        options.priority = changed;
        tasks?.setPriority(changed);
      },
    };
  }

  async #settle(item: In, sink: StageSink<Out>, options: StageCallOptions): Promise<void> {
    let result: Out;
    try {
      result = await this.#call(item, options);
    } catch (error) {
      return sink.reject(error);
    }
    sink.resolve(result);
  }
}

function callOf<In, Out>(stage: PipelineStage<In, Out>): StageCall<In, Out> {
  if (typeof stage === "function") return stage;
  if (isModel(stage)) return (item, options) => stage.predict(item, options);
  if (isPipeline(stage)) return (item, options) => stage.run(item, options);
  throw optionError("stage", "a model, a pipeline or a function of one item", stage, "write (item) => result");
}

function movingCallOf<In, Out>(stage: PipelineStage<In, Out>): StageCall<In, Out> {
  if (isModel(stage)) return (item, options) => stage.predict(item, { ...options, transfer: true });
  throw optionError("transfer", "a stage that is a model", stage, "leave it out, or transfer in the stage itself");
}

function isModel<In, Out>(stage: PipelineStage<In, Out>): stage is StageModel<In, Out> {
  return hasMethod(stage, "predict");
}

function isPipeline<In, Out>(stage: PipelineStage<In, Out>): stage is StagePipeline<In, Out> {
  return hasMethod(stage, "run");
}

/** An untyped caller may pass anything. */
function hasMethod(value: unknown, name: string): boolean {
  return isOptionsObject(value) && typeof value[name] === "function";
}
