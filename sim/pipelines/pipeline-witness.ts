import type { StageCallOptions } from "@framebatch/pipelines/builder/pipeline.js";
import { Trace } from "../batcher/fuzz/trace.js";
import { explainRejection } from "./explain-rejection.js";
import type { PageLoop } from "./page-loop.js";
import type { Part, PartError } from "./part.js";
import type { Ending, RunFacts, RunRecord } from "./run-record.js";
import { holds } from "./violation.js";

/** The sum and the difference of two times may be this far from the exact one, in milliseconds. */
const ROUNDING_MS = 1e-6;

/** A call of a stage that has not returned. */
interface OpenCall {
  readonly run: RunRecord;
  readonly step: number;
  readonly signal: AbortSignal;
}

/** Observes every call between the pipeline, its callers and its stages. */
export class PipelineWitness {
  readonly trace = new Trace();
  readonly runs: RunRecord[] = [];
  /** What aborts a run, by its number. */
  readonly aborts = new Map<number, () => void>();
  /** The index in the pipeline of each step that a part can fail in; a step of an inner pipeline has that of its stage. */
  readonly placeOf = new Map<number, number>();
  /** The steps that the pipeline itself calls, and not an inner one, and the most slots that they can have. */
  readonly directSteps = new Map<number, number>();
  /** The first violation that was noticed. The code that noticed it may have been called by the pipeline. */
  broken: Error | null = null;
  isDisposed = false;
  /** Calls of callers outside the pipeline that have not settled. */
  competitors = 0;
  readonly #calls = new Set<OpenCall>();
  readonly #seen = new Set<string>();
  readonly #loop: PageLoop;

  constructor(loop: PageLoop) {
    this.#loop = loop;
  }

  /** Number of runs that have not settled, as far as their callers know. */
  get open(): number {
    return this.runs.reduce((sum, { ending }) => sum + (ending === null ? 1 : 0), 0);
  }

  /** Keeps the first violation. */
  check(assertion: () => void): void {
    try {
      assertion();
    } catch (error) {
      this.broken ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Records a run that is about to start. @param expected the right result of an item; `null` if a step fails */
  starts(facts: RunFacts, expected: (item: Part) => Part | null): RunRecord {
    const id = this.runs.length;
    const item = { run: id, trail: `${id}` };
    const run: RunRecord = {
      id,
      item,
      facts,
      startedAtMs: this.#loop.now(),
      expected: expected(item),
      abortedWith: null,
      isSuperseded: false,
      isDisposed: this.isDisposed,
      hasEntered: false,
      hasFailed: false,
      endedInEvent: this.isDisposed ? this.#loop.event : Infinity,
      ending: null,
    };
    if (facts.key !== undefined && !this.isDisposed) this.#supersede(facts.key);
    this.runs.push(run);
    return run;
  }

  aborted(run: RunRecord, reason: object): void {
    if (run.ending !== null) return;
    run.abortedWith = reason;
    this.#knowsEnd(run);
  }

  disposed(): void {
    this.isDisposed = true;
    for (const run of this.runs) {
      if (run.ending !== null) continue;
      run.isDisposed = true;
      this.#knowsEnd(run);
    }
  }

  /** Records a call of a stage. Returns the function to call when it returns. */
  called(step: number, part: Part, { signal, priority, timeoutMs }: StageCallOptions): () => void {
    const run = this.#runOf(part);
    if (run === null) return () => {};
    const id = `${step} ${part.trail}`;
    this.trace.addTime(this.#loop.now());
    this.trace.add(step);
    this.trace.add(part.trail.length);
    this.tried(step, part);
    this.check(() => {
      // An inner pipeline starts from its first step again when a stage of it was overloaded.
      const isFirst = !this.directSteps.has(step) || !this.#seen.has(id);
      holds(isFirst, "P-4", () => `step ${step} was called twice for ${part.trail}`);
      holds(priority === run.facts.priority, "P-7", () => `run ${run.id}: the priority is ${priority}`);
      this.#checkTime(run, timeoutMs);
    });
    this.#seen.add(id);
    const call = { run, step, signal };
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  /** Records that a stage may be called again for a part, because it rejected the part without running it. */
  mayRepeat(step: number, { trail }: Part): void {
    this.#seen.delete(`${step} ${trail}`);
  }

  /** Records that a function of the caller gets a part. */
  tried(step: number, part: Part): void {
    const run = this.#runOf(part);
    if (run === null) return;
    run.hasEntered = true;
    const isOpen = this.#loop.event <= run.endedInEvent;
    this.check(() => {
      holds(isOpen, "P-4", () => `step ${step} ran for ${part.trail} after run ${run.id} had ended`);
    });
  }

  /** Records that a step fails for a part. */
  failed(error: PartError): PartError {
    const run = this.#runOf(error.part);
    if (run !== null && this.directSteps.has(error.step)) run.hasFailed = true;
    return error;
  }

  completed(run: RunRecord, result: Part): void {
    this.check(() => {
      holds(run.expected !== null, "P-2", () => `run ${run.id} has a result, though a step fails for certain`);
      const right = run.expected?.trail;
      holds(result.trail === right, "P-2", () => `run ${run.id}: expected ${right}, got ${result.trail}`);
      holds(!run.hasFailed, "P-3", () => `run ${run.id} has a result, though a part failed`);
      this.#settled(run, "completed");
    });
  }

  rejected(run: RunRecord, error: unknown): void {
    this.check(() => this.#settled(run, explainRejection(run, error, this.placeOf, this.#loop.now())));
  }

  /** Records that the stream of a run has ended before its turn. */
  dropped(run: RunRecord): void {
    if (run.ending === null) this.check(() => this.#settled(run, "dropped"));
  }

  /** Call between events: whatever a run has begun must be aborted when it has ended. */
  checkEnded(): void {
    for (const { run, step, signal } of this.#calls) {
      const isOver = run.ending !== null && run.ending !== "completed";
      holds(!isOver || signal.aborted, "P-5", () => `step ${step} goes on after the end of run ${run.id}`);
    }
  }

  /** Call now and then: a stage never has more parts of streams than slots. */
  checkSlots(): void {
    for (const [step, slots] of this.directSteps) {
      const isIn = (call: OpenCall) => call.step === step && call.run.facts.isLimited && !call.signal.aborted;
      const inStage = [...this.#calls].filter(isIn).length;
      holds(inStage <= slots, "P-6", () => `${inStage} parts of streams in step ${step}, which has ${slots} slots`);
    }
  }

  /** The timeout of an item of a stream counts from when it enters, which the witness does not see. */
  #checkTime({ id, facts, startedAtMs }: RunRecord, timeoutMs: number | undefined): void {
    const leftMs = startedAtMs + (facts.timeoutMs ?? Infinity) - this.#loop.now();
    const given = timeoutMs ?? Infinity;
    const isRight = facts.isLimited
      ? given > 0 && given <= (facts.timeoutMs ?? Infinity) + ROUNDING_MS
      : given === leftMs || Math.abs(given - leftMs) < ROUNDING_MS;
    holds(isRight, "P-7", () => `run ${id}: a stage got ${timeoutMs} ms, and ${leftMs} ms were left`);
  }

  #settled(run: RunRecord, ending: Ending): void {
    this.trace.addTime(this.#loop.now());
    this.trace.add(run.id);
    this.trace.add(ending.length);
    const { timeoutMs = Infinity, isLimited } = run.facts;
    const lateMs = this.#loop.now() - run.startedAtMs - timeoutMs;
    holds(isLimited || lateMs <= 1e-6, "P-3", () => `run ${run.id} settled ${lateMs} ms after its timeout`);
    run.ending = ending;
    this.#knowsEnd(run);
  }

  #supersede(key: string): void {
    for (const run of this.runs) {
      if (run.facts.key !== key || run.ending !== null) continue;
      run.isSuperseded = true;
      this.#knowsEnd(run);
    }
  }

  #knowsEnd(run: RunRecord): void {
    run.endedInEvent = Math.min(run.endedInEvent, this.#loop.event);
  }

  #runOf(part: Part): RunRecord | null {
    return this.runs[part.run] ?? null;
  }
}
