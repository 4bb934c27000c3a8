import type { PipelineStream } from "../runs/open-run.js";
import type { PartOptions, Stage, StageSink } from "../runs/stage.js";
import { type Priority, STAYS, type Ticket } from "@framebatch/batcher/queue/request.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { checkTransfer } from "@framebatch/batcher/options/predict-options.js";
import { SignalRequests } from "@framebatch/batcher/calls/abortable.js";
import type { PipelineStage, StageCallOptions, StageOptions } from "./pipeline.js";

type StageModel<In, Out> = Extract<PipelineStage<In, Out>, { predict: unknown }>;
type StagePipeline<In, Out> = Extract<PipelineStage<In, Out>, { run: unknown }>;
/** A call of the stage for a part of a stream, or of none. */
type StreamCall<In, Out> = (
  item: In,
  options: StageCallOptions,
  stream: PipelineStream | undefined,
) => Out | PromiseLike<Out>;
type StageCall<In, Out> = Extract<PipelineStage<In, Out>, (...args: never) => unknown>;

/** A stage that is called once for each part: a model, a pipeline or a function. */
export class CalledStage<In, Out> implements Stage<In, Out> {
  readonly #call: StreamCall<In, Out>;

  /** @throws INVALID_OPTION when the stage is none of them, or an option asks for a model and it is none. */
  constructor(stage: PipelineStage<In, Out>, { transfer = false, sequence = false }: StageOptions) {
    checkTransfer(transfer, "transfer");
    if (typeof sequence !== "boolean")
      throw optionError("sequence", "true or false", sequence, "leave it out for false");
    if (transfer && sequence) throw optionError("transfer", "no value, because sequence is set", true, "leave it out");
    if (sequence) this.#call = sequenceCallOf(stage);
    else this.#call = transfer ? movingCallOf(stage) : callOf(stage);
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
    void this.#settle(() => this.#call(item, options, stream), sink);
    return {
      cancel: (reason) => controller.abort(reason),
      setPriority(changed) {
        // A function that passes its options on later passes on what counts then.
        options.priority = changed;
        tasks?.setPriority(changed);
      },
    };
  }

  async #settle(call: () => Out | PromiseLike<Out>, sink: StageSink<Out>): Promise<void> {
    let result: Out;
    try {
      result = await call();
    } catch (error) {
      return sink.reject(error);
    }
    sink.resolve(result);
  }
}

function sequenceCallOf<In, Out>(stage: PipelineStage<In, Out>): StreamCall<In, Out> {
  const sequences = new StreamSequences<In, Out>(stage);
  return (item, options, stream) => sequences.predict(item, options, stream);
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

/** The part of `TaskController` that framebatch uses, which TypeScript's library does not declare. */
interface PriorityController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  setPriority(priority: Priority): void;
}

/** Creates a `TaskController`; `null` in browsers that have none, and in Node. */
function createPriorityController(priority: Priority): PriorityController | null {
  const constructor: unknown = Reflect.get(globalThis, "TaskController");
  return typeof constructor === "function" ? Reflect.construct(constructor, [{ priority }]) : null;
}

/** What a stage with `sequence: true` needs of its model. */
interface SequenceModel<In, Out> {
  predict(item: In, options: StageCallOptions): Promise<Out>;
  sequence(): { predict(item: In, options: StageCallOptions): Promise<Out>; dispose(): Promise<void> };
}

/** A sequence of a model for each stream. */
class StreamSequences<In, Out> {
  readonly #model: SequenceModel<In, Out>;
  readonly #ofStreams = new WeakMap<PipelineStream, ReturnType<SequenceModel<In, Out>["sequence"]>>();

  /** @throws INVALID_OPTION when the stage is no model with sequences */
  constructor(stage: object) {
    if (!isSequenceModel<In, Out>(stage))
      throw optionError("sequence", "a stage that is a model with sequences", stage, "leave it out");
    this.#model = stage;
  }

  /** Makes the next step of the stream. An item without a stream that keeps its order starts from the initial state. */
  predict(item: In, options: StageCallOptions, stream: PipelineStream | undefined): Promise<Out> {
    if (stream === undefined || !stream.isOrdered) return this.#model.predict(item, options);
    return this.#of(stream).predict(item, options);
  }

  #of(stream: PipelineStream): ReturnType<SequenceModel<In, Out>["sequence"]> {
    const known = this.#ofStreams.get(stream);
    if (known !== undefined) return known;
    const sequence = this.#model.sequence();
    this.#ofStreams.set(stream, sequence);
    stream.whenEnded(() => void sequence.dispose());
    return sequence;
  }
}

function isSequenceModel<In, Out>(stage: object): stage is SequenceModel<In, Out> {
  return isOptionsObject(stage) && typeof stage["predict"] === "function" && typeof stage["sequence"] === "function";
}
