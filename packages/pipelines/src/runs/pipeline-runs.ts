import type { Timer, Cancel } from "@framebatch/host/clock.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import {
  OpenSet,
  type RequestOptions,
  SETTLED_TICKET,
  type Sink,
  type Ticket,
} from "@framebatch/batcher/queue/request.js";
import { superseded } from "@framebatch/batcher/requests/request-errors.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";
import { OpenRun, PipelineStream, type RunHome, type StepSpan } from "./open-run.js";
import { type Hold, NO_HOLD, type Path, createHold } from "./path.js";
import type { PipelineStats, RunEnding, StepInfo } from "./pipeline-stats.js";
import type { PartOptions } from "./stage.js";
import { Step } from "./step.js";
import { LogHistogram } from "@framebatch/batcher/stats/statistics.js";
import type { StreamTarget } from "@framebatch/batcher/calls/stream-requests.js";

/** What a pipeline is made of. */
export interface PipelineConfig<In, Out> {
  readonly path: Path<In, Out>;
  /** The steps of the path, in order. */
  readonly steps: readonly StepInfo[];
  readonly timer: Timer;
  /** Receives the time of each step by its index, once for each run. Must not throw. */
  readonly onRunEnded?: (spans: ReadonlyMap<number, Readonly<StepSpan>>) => void;
}

const NO_OPTIONS: PartOptions = {};

/**
 * The open runs of a pipeline.
 *
 * Invariants:
 * - Every run settles exactly once, whatever fails, and never inside its own `enqueue`.
 * - A run that settles early takes its parts out of every stage. No part of it is passed to a stage afterwards.
 * - An error of one part ends its own run and no other.
 * - When no run is open, no timer is set and no slot is taken.
 */
export class PipelineRuns<In, Out> {
  readonly #config: PipelineConfig<In, Out>;
  readonly #home: RunHome;
  readonly #open = new OpenSet<OpenRun>();
  readonly #byKey = new Map<string, OpenRun>();
  readonly steps: readonly Step[];
  readonly letsWait = true;
  #statistics = new RunStatistics();
  #sequence = 0;
  #disposedWith: FramebatchError | null = null;

  constructor(config: PipelineConfig<In, Out>) {
    const { timer } = config;
    this.#config = config;
    this.steps = config.steps.map((info) => new Step(info, timer));
    this.#home = { steps: this.steps, timer, ended: (run, ending) => this.#ended(run, ending) };
  }

  /**
   * Starts a run. The parts of a run of a stream take slots, and wait while a stage is overloaded.
   * @param entrance released when the first stage has taken the item or all of its parts, or when the run ends
   */
  enqueue(item: In, sink: Sink<Out>, options: PartOptions = NO_OPTIONS, entrance: Hold = NO_HOLD): Ticket {
    const disposedWith = this.#disposedWith;
    if (disposedWith === null) return this.#start(item, sink, options, entrance);
    afterMicrotask(() => sink.reject(disposedWith));
    entrance.release();
    return SETTLED_TICKET;
  }

  /** Does nothing: an item that is not enqueued remains the caller's. */
  discard(_item: In): void {}

  /** Rejects every open run, and every later one, with `error`. */
  dispose(error: FramebatchError): void {
    if (this.#disposedWith !== null) return;
    this.#disposedWith = error;
    for (const run of this.#open) run.end("disposed", error);
  }

  /** The error that rejects every run after `dispose`; `null` before. */
  get disposedWith(): FramebatchError | null {
    return this.#disposedWith;
  }

  stats(): PipelineStats {
    const stages = this.steps.map((step) => step.stats());
    return { ...this.#statistics.snapshot(this.#open.size), stages };
  }

  /** Restarts the statistics. Open runs and parts count as accepted in the new ones. */
  resetStats(): void {
    this.#statistics = new RunStatistics(this.#open.size);
    for (const step of this.steps) step.resetStatistics();
  }

  #start(item: In, sink: Sink<Out>, options: PartOptions, entrance: Hold): Ticket {
    const reject = (error: unknown) => sink.reject(error);
    const run = new OpenRun(this.#home, { options, sequence: ++this.#sequence, reject });
    this.#accept(run);
    this.#begin(item, sink, run, entrance);
    run.isEntering = false;
    return run;
  }

  #begin(item: In, sink: Sink<Out>, run: OpenRun, entrance: Hold): void {
    // Superseding an older run calls the caller's abort listeners, and one of them may end this run.
    if (!run.isOpen) return entrance.release();
    this.#config.path(item, entrance, run, (result, hold) => {
      hold.release();
      run.complete(() => sink.resolve(result, null, run.startedAtMs));
    });
  }

  #accept(run: OpenRun): void {
    this.#statistics.accepted();
    this.#open.add(run);
    if (run.key === undefined) return;
    const older = this.#byKey.get(run.key);
    this.#byKey.set(run.key, run);
    older?.end("superseded", superseded(run.key));
  }

  #ended(run: OpenRun, ending: RunEnding): void {
    this.#open.delete(run);
    if (run.key !== undefined && this.#byKey.get(run.key) === run) this.#byKey.delete(run.key);
    this.#statistics.ended(ending, run.nowMs - run.startedAtMs);
    this.#config.onRunEnded?.(run.spans);
  }
}

/** Counts the runs of a pipeline. */
class RunStatistics {
  readonly #endings: Record<RunEnding, number> = {
    completed: 0,
    failed: 0,
    aborted: 0,
    timedOut: 0,
    superseded: 0,
    disposed: 0,
  };
  readonly #totalMs = new LogHistogram();
  #accepted: number;

  /** @param open number of runs that are open already */
  constructor(open = 0) {
    this.#accepted = open;
  }

  accepted(): void {
    this.#accepted += 1;
  }

  ended(ending: RunEnding, totalMs: number): void {
    this.#endings[ending] += 1;
    if (ending === "completed") this.#totalMs.record(totalMs);
  }

  snapshot(inFlight: number): Pick<PipelineStats, "runs" | "totalMs"> {
    return { runs: { accepted: this.#accepted, ...this.#endings, inFlight }, totalMs: this.#totalMs.snapshot() };
  }
}

/** What one stream submits its items to. */
interface StreamEntrance<In, Out> {
  enqueue(item: In, sink: Sink<Out>, options?: RequestOptions): Ticket;
  /** Does nothing: a function gets the caller's item itself. */
  take(item: In): void;
  /** Does nothing: an item that is not enqueued remains the caller's. */
  discard(item: In): void;
  /** Called when the stream has ended. */
  ended(): void;
  readonly streamRoom: EntranceRoom;
  readonly disposedWith: FramebatchError | null;
}

/** Whether an item of one stream may enter, and how many the stream may pull. */
type EntranceRoom = StreamTarget<unknown, unknown>["streamRoom"];

/**
 * Where the items of streams enter a pipeline. At most one item of each stream is at the entrance, until the first
 * stage has taken it or, if it is split first, all of its parts. Streams do not wait for each other there: a split may
 * hang.
 */
export class PipelineEntrance<In, Out> {
  readonly #runs: PipelineRuns<In, Out>;
  readonly #listeners = new Set<() => void>();

  constructor(runs: PipelineRuns<In, Out>) {
    this.#runs = runs;
  }

  /** Returns the entrance of one stream, whose items keep their order. */
  ofStream(): StreamEntrance<In, Out> {
    const stream = new PipelineStream(true);
    const [runs, room] = [this.#runs, new StreamDoor(this)];
    return {
      enqueue: (item, sink, options) => runs.enqueue(item, sink, { ...options, stream }, room.enter()),
      take: () => undefined,
      discard: () => undefined,
      ended: () => stream.end(),
      streamRoom: room,
      get disposedWith() {
        return runs.disposedWith;
      },
    };
  }

  /**
   * Maximum number of items of a stream that are pulled and not yet yielded: as many as the stages together have slots,
   * so that each can be full while one item is late.
   */
  get targetRequests(): number {
    return this.#runs.steps.reduce((sum, { maxParts }) => sum + maxParts, 1);
  }

  /** Calls `callback` whenever an item of any stream may enter, and when the pipeline is disposed, until cancelled. */
  onChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  changed(): void {
    for (const callback of this.#listeners) callback();
  }
}

type Entrance = Pick<PipelineEntrance<unknown, unknown>, "targetRequests" | "onChange" | "changed">;

/** The place of one stream at the entrance. */
class StreamDoor implements EntranceRoom {
  readonly #entrance: Entrance;
  #isTaken = false;

  constructor(entrance: Entrance) {
    this.#entrance = entrance;
  }

  /** Returns whether an item may enter now: none is at the entrance. */
  isFor(): boolean {
    return !this.#isTaken;
  }

  get targetRequests(): number {
    return this.#entrance.targetRequests;
  }

  onChange(callback: () => void): Cancel {
    return this.#entrance.onChange(callback);
  }

  /** Lets an item enter. Returns what it occupies until it has left the entrance. */
  enter(): Hold {
    this.#isTaken = true;
    return createHold(() => {
      this.#isTaken = false;
      this.#entrance.changed();
    });
  }
}
