import type { Fault, Scenario, Speeds } from "../scenario/scenario.js";
import type { ModelName } from "./models.js";

/** What happens to one run of ONNX Runtime. */
export type RunFate = Extract<Fault, { readonly on: "run" }>["does"] | "well";

/** A run of a decoder. */
export interface TextRun {
  readonly atMs: number;
  readonly model: ModelName;
  /** The numbers of the items whose texts are in its rows; `null` for a row of a trial. */
  readonly ids: readonly (number | null)[];
  /** Size of the caches that it reads. */
  readonly cacheBytes: number;
}

/** Decides what happens to each run, in the order of the runs of all workers. */
export class Fates {
  readonly #byRun = new Map<number, RunFate>();
  /** Number of runs so far. */
  runs = 0;
  /** How often a worker has ended, or can no longer be used, because of a fault or an item. */
  fatal = 0;
  /** How many workers have ended before a page has found out that they hold their lock: no page hears of that. */
  silenced = 0;
  /** Runs that have begun and not ended, except those that hang for ever. */
  running = 0;
  /** Times that runs take, in milliseconds. */
  readonly baseMs: number;
  readonly rowMs: number;
  /** How often the items of models with states have run, by their numbers. */
  readonly timesRun = new Map<number, number>();
  /** The numbers of items that were alone in a run that failed. */
  readonly failedAlone = new Set<number>();
  /** The numbers of items in a run that failed although none of them makes it fail. A search may suspect any of them. */
  readonly suspected = new Set<number>();

  /** The runs of decoders, in order. */
  readonly textRuns: TextRun[] = [];

  /** How many times as fast as one thread the GPU is, and several threads. */
  readonly speeds: Speeds;

  constructor(faults: readonly Fault[], { baseMs, rowMs, speeds }: Pick<Scenario, "baseMs" | "rowMs" | "speeds">) {
    this.speeds = speeds ?? { gpu: 1, threads: 1 };
    this.baseMs = baseMs;
    this.rowMs = rowMs;
    for (const fault of faults) if (fault.on === "run") this.#byRun.set(fault.nth, fault.does);
  }

  /** Whether some runs have a fate. */
  get isDisturbed(): boolean {
    return this.#byRun.size > 0;
  }

  next(): RunFate {
    const fate = this.#byRun.get(this.runs) ?? "well";
    this.runs += 1;
    return fate;
  }
}
