import type { ProviderTrial } from "framebatch";
import { makeItems } from "../items.js";
import { laneNamed } from "../lanes/all.js";
import type { CalledLane, OpenLane } from "../lanes/lane.js";
import { closedLoop } from "../loads/closed-loop.js";
import { findAdapter, type AdapterFacts } from "../measure/adapter.js";
import { measureFramePeriod } from "../measure/frame-recorder.js";
import { modelNamed } from "../real-models.js";
import type { Backend, MeasuredGroup, Site } from "../results.js";
import { openInstruments } from "../run/bench-run.js";
import { measureSlice, type Instruments } from "../run/measure-slice.js";
import type { Slice } from "../run/slice.js";
import { seededRandom } from "../statistics/random.js";
import { inRounds } from "./rounds-of-trials.js";
import { wayOf } from "./way-of.js";
import { watchWorkers } from "./worker-watch.js";

/** A visit on which framebatch may measure its ways to run. */
export interface TrainingSpec {
  readonly backend: Backend;
  readonly model: string;
  readonly callers: number;
  readonly seed: number;
  /** The longest time for all ways, in ms. */
  readonly limitMs: number;
}

/** What happened on such a visit. */
export interface Training {
  readonly adapter: AdapterFacts | null;
  /** The number of ways that framebatch can measure beside the one that it starts on. */
  readonly ways: number;
  /** The slices while ways were measured, of framebatch without options and of the same way given as a list. */
  readonly group: MeasuredGroup;
  /** The results of the ways that were measured. */
  readonly trials: readonly ProviderTrial[];
  /** From the first call until the first other way started and until all were measured, in ms; `null` if never. */
  readonly startedAfterMs: number | null;
  readonly endedAfterMs: number | null;
  /** Why no outcome was stored; `null` if one was. */
  readonly missing: string | null;
}

/** Slices of both lanes are as long: a long one has a rarer worst batch among its slowest hundredth. */
const SLICE_MS = 1000;

/**
 * The lane that may measure has this many slices for each of the other: a trial has its rounds by the clock, which also
 * runs while the other lane is measured.
 */
const SHARE = 4;

/** Slices are shorter until a way has started, in ms. */
const STARTING_MS = 250;

/** A limit lets the callers complete at least this many slices of the lane that may measure. */
const LEAST_SLICES = 10;

/** The outcome is stored without waiting for it. */
const STORING_MS = 1000;

const ITEMS = 64;

/** Keeps a model busy until framebatch has measured all its ways, or for the time of the limit. */
export async function train(spec: TrainingSpec): Promise<Training> {
  const adapter = await findAdapter();
  const ways = waysToMeasure(adapter);
  const site: Site = crossOriginIsolated ? "isolated" : "ordinary";
  const name = { model: spec.model, backend: spec.backend, site, load: `trial-${spec.callers}` };
  const workers = watchWorkers();
  const visit = await TrainingVisit.open(spec);
  try {
    workers.reset();
    const times = ways === 0 ? NOTHING : await visit.run(ways, () => workers.started);
    if (ways > 0) await new Promise((resolve) => setTimeout(resolve, STORING_MS));
    const { trials, slices } = visit;
    const missing = missingOf(ways, trials.length, times, spec);
    return { adapter, ways, group: { name, slices }, trials, ...times, missing };
  } finally {
    await visit.close();
    workers.end();
  }
}

type Times = Pick<Training, "startedAfterMs" | "endedAfterMs">;

const NOTHING: Times = { startedAfterMs: null, endedAfterMs: null };

function waysToMeasure(adapter: AdapterFacts | null): number {
  const onThreads = crossOriginIsolated && navigator.hardwareConcurrency > 1 ? 1 : 0;
  return onThreads + (adapter === null || adapter.isSoftware ? 0 : 1);
}

function missingOf(ways: number, ended: number, { startedAfterMs }: Times, { limitMs }: TrainingSpec): string | null {
  const within = `within ${limitMs / 1000} s`;
  if (ways === 0) return "this page offers one way to run, so there is nothing to measure";
  if (startedAfterMs === null) return `no other way was started ${within}`;
  return ended < ways ? `${ended} of ${ways} ways were measured ${within}` : null;
}

/** Two open models on one page: one that may measure, and one with a list of providers, which may not. */
class TrainingVisit {
  readonly #spec: TrainingSpec;
  readonly #measuring: CalledLane;
  readonly #listed: CalledLane;
  readonly #nameOfListed: string;
  readonly #ofMeasuring: Slice[] = [];
  readonly #ofListed: Slice[] = [];
  readonly #instruments: Instruments;
  readonly #loadTrials: number;

  private constructor(spec: TrainingSpec, measuring: CalledLane, listed: CalledLane, name: string, tools: Instruments) {
    this.#spec = spec;
    this.#measuring = measuring;
    this.#listed = listed;
    this.#nameOfListed = name;
    this.#instruments = tools;
    this.#loadTrials = measuring.ways?.().trials.length ?? 0;
  }

  static async open(spec: TrainingSpec): Promise<TrainingVisit> {
    const measuring = await openCalled("default", spec);
    const ways = measuring.ways?.();
    if (ways === undefined) throw new Error("The lane without options tells no way to run.");
    const listedName = wayOf(ways);
    const listed = await openCalled(listedName, spec);
    const instruments = await openInstruments(await measureFramePeriod(), false);
    return new TrainingVisit(spec, measuring, listed, listedName, instruments);
  }

  /** The slices of both lanes, by round. */
  get slices(): MeasuredGroup["slices"] {
    const rounds = inRounds(this.#ofMeasuring, this.#ofListed, SHARE);
    return [
      ["default", rounds.map(([measuring]) => measuring)],
      [this.#nameOfListed, rounds.map(([, listed]) => listed)],
    ];
  }

  /** The results of the ways that were measured; those of the load come before them. */
  get trials(): readonly ProviderTrial[] {
    return this.#measuring.ways?.().trials.slice(this.#loadTrials) ?? [];
  }

  /**
   * Drives the model until `ways` are measured. The other model gets slices once a way has started.
   */
  async run(ways: number, started: () => boolean): Promise<Times> {
    const startMs = performance.now();
    const sinceStart = (): number => performance.now() - startMs;
    const sliceMs = Math.min(SLICE_MS, this.#spec.limitMs / LEAST_SLICES);
    const isLate = (): boolean => sinceStart() >= this.#spec.limitMs;
    while (!started() && !isLate()) await this.#slice(this.#measuring, STARTING_MS);
    const startedAfterMs = started() ? sinceStart() : null;
    while (this.trials.length < ways && !isLate()) {
      const isListed = this.#ofMeasuring.length >= SHARE * (this.#ofListed.length + 1);
      const [lane, slices] = isListed ? [this.#listed, this.#ofListed] : [this.#measuring, this.#ofMeasuring];
      slices.push(await this.#slice(lane, sliceMs));
    }
    return { startedAfterMs, endedAfterMs: this.trials.length < ways ? null : sinceStart() };
  }

  async close(): Promise<void> {
    await this.#measuring.close();
    await this.#listed.close();
  }

  #slice(lane: OpenLane, sliceMs: number): Promise<Slice> {
    const { model, callers, seed } = this.#spec;
    const random = seededRandom(seed);
    const items = makeItems(modelNamed(model), ITEMS, random);
    const times = { sliceMs, longestSliceMs: 2 * sliceMs, cutShort: false };
    return measureSlice(lane, closedLoop(callers), { items, times, capacityPerSec: 0, random }, this.#instruments);
  }
}

async function openCalled(name: string, { model, backend }: TrainingSpec): Promise<CalledLane> {
  const lane = await laneNamed(name).open(modelNamed(model), backend, []);
  if (lane.kind !== "called") throw new Error(`The lane ${name} answers no calls.`);
  return lane;
}
