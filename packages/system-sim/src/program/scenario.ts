import type { ModelName, Poison } from "../runtime/models.js";

/**
 * A scenario is plain data, so that it can be printed, shrunk and run again. Times are in milliseconds since its start.
 */
export interface Scenario {
  /** Decides everything that the scenario leaves open: delays, the order of tasks, microtask turns. */
  readonly seed: number;
  /** Time of a run of ONNX Runtime. */
  readonly baseMs: number;
  readonly rowMs: number;
  /** Number of tabs. */
  readonly pages: number;
  readonly subjects: readonly Subject[];
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
}

/** What is called: a model or a function on a page. */
export type Subject = ModelSubject | FunctionSubject;

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
}

/** Options that are plain data. */
export type PlainOptions = Readonly<Record<string, unknown>>;

/** An item: its number distinguishes it from all others. */
export interface ItemSpec {
  readonly id: number;
  readonly poison?: Poison;
}

export interface CallOptions {
  readonly priority?: "user-blocking" | "user-visible" | "background";
  readonly timeoutMs?: number;
  readonly key?: string;
  readonly transfer?: boolean;
}

/** A call. Its number names it. */
export interface CallStep {
  readonly atMs: number;
  readonly do: "predict" | "many" | "stream";
  readonly subject: number;
  readonly call: number;
  /** One item for "predict". */
  readonly items: readonly ItemSpec[];
  readonly options: CallOptions;
}

export type Step =
  | CallStep
  | { readonly atMs: number; readonly do: "open" | "dispose" | "restart" | "flush"; readonly subject: number }
  | { readonly atMs: number; readonly do: "abort"; readonly call: number }
  | PageStep;

/** What happens to a page. */
export type PageStep =
  | { readonly atMs: number; readonly do: "hide" | "show" | "freeze" | "thaw" | "crash"; readonly page: number }
  | { readonly atMs: number; readonly do: "busy"; readonly page: number; readonly ms: number };

/** A fault of the world. Runs of ONNX Runtime are counted over all workers. */
export type Fault =
  | { readonly on: "run"; readonly nth: number; readonly does: "trap" | "hang" | "slow" | "oom" | "exit" | "fail" }
  | { readonly on: "time"; readonly atMs: number; readonly does: "kill" };
