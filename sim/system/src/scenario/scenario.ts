import type { ModelName, Poison } from "../runtime/models.js";
import type { SourceKind } from "./source-kinds.js";
import type { Act, OtherSubject } from "./kinds.js";
import type { Thrown } from "./thrown.js";

/** How many times as fast as on one thread a run is on the GPU, and on several threads. */
export interface Speeds {
  readonly gpu: number;
  readonly threads: number;
  /** Until a session there has existed for so long, it is as fast as one thread, in milliseconds. @default 0 */
  readonly lateMs?: number;
  /** Whether that holds for single rows: each row of a batch takes as long there as alone. */
  readonly areForOne?: true;
}

/**
 * A scenario is plain data, so that it can be printed, shrunk and run again. Times are in milliseconds since its start.
 */
export interface Scenario {
  /** Decides everything that the scenario leaves open: delays, the order of tasks, microtask turns. */
  readonly seed: number;
  /** Time of a run of ONNX Runtime. */
  readonly baseMs: number;
  readonly rowMs: number;
  /** How many times as fast as on one thread a run is. */
  readonly speeds?: Speeds;
  /** Number of tabs. */
  readonly pages: number;
  /** Its pages are cross-origin isolated. */
  readonly isIsolated?: true;
  readonly subjects: readonly Subject[];
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
}

/** What is called: a model or a function on a page. */
export type Subject = ModelSubject | FunctionSubject | OtherSubject;

export interface ModelSubject {
  readonly kind: "model";
  readonly page: number;
  readonly model: ModelName;
  readonly options: PlainOptions;
}

export interface FunctionSubject {
  readonly kind: "function";
  readonly page: number;
  readonly options: PlainOptions;
  /** What its failing runs throw, if not an error that says so; or they return a result too many. */
  readonly thrown?: Thrown | "surplus";
  /** Its functions of an item; the act of an item happens in the one of its place. */
  readonly functions?: readonly ("shapeOf" | "contentKey")[];
  /** Its items hold the same object very often. */
  readonly isNested?: boolean;
  /** It computes one run after the other, as a library does that has one session. */
  readonly isSerial?: true;
}

/** Options that are plain data. */
export type PlainOptions = Readonly<Record<string, unknown>>;

/** An item: its number distinguishes it from all others. */
export interface ItemSpec {
  readonly id: number;
  readonly poison?: Poison;
  readonly act?: Act;
  /** It is so large that it moves to a worker on its own, if its caller gives it away. */
  readonly isLarge?: boolean;
  /** Number of its elements, if its model takes any. */
  readonly length?: number;
  /** Time that handlers take with it, in milliseconds. */
  readonly slowMs?: number;
  /** It is a text, which a decoder writes. */
  readonly text?: TextSpec;
}

/** A text. Its prompt follows from the number of its item. */
export interface TextSpec {
  /** Number of tokens of the prompt. */
  readonly length: number;
  readonly maxNewTokens: number;
  readonly stop?: readonly number[];
  readonly sample?: {
    readonly temperature?: number;
    readonly topK?: number;
    readonly topP?: number;
    readonly seed: number;
  };
  readonly repetitionPenalty?: number;
  /** Number of positions of what an encoder has returned, of a model that reads that. */
  readonly given?: number;
  /** It is told that itself, and does not wait for an encoder. */
  readonly isTold?: true;
  /** Time between its tokens, in milliseconds, of a loop that reads them. */
  readonly readMs?: number;
}

export interface CallOptions {
  readonly priority?: "user-blocking" | "user-visible" | "background";
  readonly timeoutMs?: number;
  readonly key?: string;
  readonly transfer?: boolean;
  /** The call whose signal this one has too. */
  readonly signalOf?: number;
}

/** A call. Its number names it. */
export interface CallStep {
  readonly atMs: number;
  readonly do: "predict" | "many" | "stream";
  readonly subject: number;
  /** The part of the subject that is called; the subject itself if it is left out. */
  readonly part?: number;
  readonly call: number;
  /** One item for "predict". */
  readonly items: readonly ItemSpec[];
  readonly options: CallOptions;
  /** What the items of a list or a stream come from. */
  readonly source?: SourceKind;
  /** The reader of a stream leaves after so many results. */
  readonly take?: number;
  /** It is aborted in the task in which it is made. */
  readonly leaves?: true;
}

export type Step =
  | CallStep
  | SubjectStep
  | { readonly atMs: number; readonly do: "abort"; readonly call: number }
  | PageStep;

/** A restart of a sequence is its `reset`, and a flush its `snapshot`. */
export interface SubjectStep {
  readonly atMs: number;
  readonly do: "open" | "dispose" | "restart" | "flush";
  readonly subject: number;
  readonly part?: number;
}

/** What happens to a page. */
export type PageStep =
  | { readonly atMs: number; readonly do: "hide" | "show" | "freeze" | "thaw" | "crash"; readonly page: number }
  | { readonly atMs: number; readonly do: "busy"; readonly page: number; readonly ms: number };

/** A fault of the world. Runs of ONNX Runtime are counted over all workers. */
export type Fault =
  | { readonly on: "run"; readonly nth: number; readonly does: "trap" | "hang" | "slow" | "oom" | "exit" | "fail" }
  | {
      readonly on: "time";
      readonly atMs: number;
      readonly does: "kill" | "lose GPU" | "deploy" | "change files" | "mute shared" | StoreFault;
    }
  /** Requests for files of models are counted over all workers. */
  | { readonly on: "request"; readonly nth: number; readonly does: RequestFault };

/** What happens to a request for a file. One that trickles takes long, and ends well. */
export type RequestFault = "slow" | "late" | "cut" | "stall" | "trickle" | "429" | "503" | "page" | "offline";

/** From then on, IndexedDB has no space, answers no opening, or aborts half of all transactions; or it is emptied or closed once. */
export type StoreFault = "fill store" | "block store" | "abort store" | "evict" | "close store";
