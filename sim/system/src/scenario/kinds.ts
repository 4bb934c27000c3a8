import type { DecoderName } from "../runtime/decoder-models.js";
import type { ModelName, RecurrentName } from "../runtime/models.js";
import type { SourceKind } from "./source-kinds.js";
import type { PlainOptions } from "./scenario.js";
import type { Thrown } from "./thrown.js";

/** What is called besides models and functions on a page. */
export type OtherSubject = HostedSubject | SequencesSubject | GroupSubject | TextsSubject;

/** What is not in `draw-sequences.ts` and `draw-texts.ts`. */
export type HostedSubject =
  | RemoteSubject
  | HybridSubject
  | PipelineSubject
  | HubSubject
  | HandledSubject
  | EngineSubject;

interface OnPage {
  readonly page: number;
  readonly options: PlainOptions;
}

/** A model on a server. */
export interface RemoteSubject extends OnPage {
  readonly kind: "remote";
  readonly server: ServerSpec;
}

/** A model on the device and on a server. */
export interface HybridSubject extends OnPage {
  readonly kind: "hybrid";
  readonly model: ModelName;
  readonly server: ServerSpec;
  readonly remote: PlainOptions;
}

/** A server of the Open Inference Protocol. */
export interface ServerSpec {
  readonly isBinary: boolean;
  /** Time of an inference, in milliseconds. */
  readonly delayMs: number;
  /** Its items may have any length. */
  readonly isWide?: boolean;
  /** What its metadata says of the batch. */
  readonly batch: "dynamic" | "endless" | "deep";
  /** What the inferences of these numbers end in, and all up to `until`. */
  readonly faults: readonly { readonly nth: number; readonly until: number; readonly does: ServerFault }[];
}

export type ServerFault =
  | "400"
  | "404"
  | "429"
  | "500"
  | "503"
  | "cut"
  | "silent"
  | "late"
  | "page"
  | "text"
  | "rows"
  | "names"
  | "deep"
  | "short";

export interface PipelineSubject extends OnPage {
  readonly kind: "pipeline";
  readonly steps: readonly StepSpec[];
}

export type StepSpec =
  | { readonly do: "call"; readonly ms: number }
  | BatchSpec
  | { readonly do: "model"; readonly options: PlainOptions; readonly transfer: boolean }
  | LinkedSpec
  | { readonly do: "nest"; readonly steps: readonly StepSpec[] }
  | SplitSpec;

export interface BatchSpec {
  readonly do: "batch";
  readonly options: PlainOptions;
  readonly ms: number;
  /** Number of calls that others make with each batch, until they have made enough. */
  readonly rivals?: number;
}

export interface SplitSpec {
  readonly do: "split";
  readonly parts: number;
  readonly source: SourceKind;
  readonly steps: readonly StepSpec[];
  /** Time that its collect takes, in milliseconds. @default 0: it answers at once */
  readonly collectMs?: number;
}

/** Models of one group, each of which reads what the one before it has left in the worker: by links, or by handles. */
export interface LinkedSpec {
  readonly do: "linked";
  readonly by: "links" | "handles";
  readonly models: number;
  readonly group: PlainOptions;
  readonly options: PlainOptions;
}

/** A model of a hub: one of tensors, one with handlers, or one whose file is not there. */
export interface HubModelSpec {
  readonly is: "plain" | "handled" | "missing";
  readonly options: PlainOptions;
}

/** A hub of models. An item is asked of the model whose place is its number, modulo their count. */
export interface HubSubject extends OnPage {
  readonly kind: "hub";
  /** Options of the group in whose one worker all models run; each has a worker of its own if it is left out. */
  readonly group?: PlainOptions;
  readonly models: readonly HubModelSpec[];
}

/** A model whose worker has handlers. */
export interface HandledSubject extends OnPage {
  readonly kind: "handled";
  readonly model: ModelName;
}

/** A worker with an engine of the caller's own. */
export interface EngineSubject extends OnPage {
  readonly kind: "engine";
}

/** Options of a sequence. Its first state is zeros, or numbers from this one on. */
export interface SequenceSpec extends PlainOptions {
  readonly initial?: number;
}

/** A model with states. Its parts are its sequences. */
export interface SequencesSubject extends OnPage {
  readonly kind: "sequences";
  readonly model: RecurrentName;
  /** Its handlers remember in their worker what `rnn` has in its state. */
  readonly isRemembered?: true;
  readonly sequences: readonly SequenceSpec[];
}

/** A decoder that generates texts. Its option `maxCacheBytes` is that of `generate`. */
export interface TextsSubject extends OnPage {
  readonly kind: "texts";
  readonly model: DecoderName;
}

/** A model of a group, with its sequences; or one whose file is not there. */
export interface GroupModelSpec {
  readonly model: ModelName | "missing";
  readonly options: PlainOptions;
  /** Its items go through handlers. */
  readonly hasHandlers?: boolean;
  /** These remember what `rnn` has in its state. */
  readonly isRemembered?: true;
  /** The caller disposes of the group when this phase of its load is reported. */
  readonly endsGroupAt?: "download" | "warmup" | "ready";
  readonly sequences: readonly SequenceSpec[];
}

/** A group of models. Its parts are each model, followed by its sequences. */
export interface GroupSubject extends OnPage {
  readonly kind: "group";
  readonly models: readonly GroupModelSpec[];
}

/** What the caller's own code does when it works on an item: in the function of this place of a pipeline, or in a handler. */
export interface Act {
  readonly at: number;
  readonly does: "throw" | "hang" | "wait" | "abort" | "dispose" | "unsendable" | "twice";
  readonly thrown: Thrown;
}
