import { makeItems } from "../items.js";
import { laneNamed } from "../lanes/all.js";
import type { OpenLane } from "../lanes/lane.js";
import { measureFramePeriod } from "../measure/frame-recorder.js";
import { modelNamed } from "../real-models.js";
import type { Backend } from "../results.js";
import { openInstruments } from "../run/bench-run.js";
import { measureSlice, type Instruments } from "../run/measure-slice.js";
import type { Slice } from "../run/slice.js";
import { seededRandom, type Random } from "../statistics/random.js";
import { timerResolution } from "../statistics/timer-resolution.js";
import { Keystrokes } from "./keystrokes.js";
import { Stage } from "./stage.js";
import { widgetsLoad } from "./widgets.js";

/** One lane alone on a page. */
export interface VisitSpec {
  readonly lane: string;
  readonly model: string;
  readonly backend: Backend;
  readonly seed: number;
  /** The largest number of widgets. */
  readonly widgets: number;
}

/** The lane's answer to the first item, and the step of the page's timer. */
export interface OpenedVisit {
  readonly answer: readonly number[];
  readonly timerResolutionMs: number;
}

/** A load, and how long it runs: longer than `sliceMs` up to `longestSliceMs` if the widgets have not had eight answers each. */
export interface LoadSpec {
  readonly load: string;
  readonly sliceMs: number;
  readonly longestSliceMs: number;
}

/** A slice without its keystrokes, which come later. */
export interface VisitSlice extends Slice {
  /** The longest main-thread task of the slice, in ms; 0 if none took over 50 ms. */
  readonly longestTaskMs: number;
}

const ITEMS = 256;

/** A page with widgets, on which one lane is measured while the user types. */
export class PageVisit {
  readonly #lane: OpenLane;
  readonly #stage: Stage;
  readonly #keystrokes: Keystrokes;
  readonly #instruments: Instruments;
  readonly #items: ReturnType<typeof makeItems>;
  readonly #random: Random;

  private constructor(spec: VisitSpec, lane: OpenLane, instruments: Instruments) {
    this.#lane = lane;
    this.#instruments = instruments;
    this.#stage = new Stage(document.body, spec.widgets);
    this.#stage.animate();
    this.#keystrokes = new Keystrokes(this.#stage.field);
    this.#random = seededRandom(spec.seed);
    this.#items = makeItems(modelNamed(spec.model), ITEMS, this.#random);
  }

  static async open(spec: VisitSpec): Promise<PageVisit> {
    const opening = laneNamed(spec.lane).open(modelNamed(spec.model), spec.backend, []);
    const [lane, framePeriodMs] = await Promise.all([opening, measureFramePeriod()]);
    return new PageVisit(spec, lane, await openInstruments(framePeriodMs, false));
  }

  async opened(): Promise<OpenedVisit> {
    const answer = await this.#lane.answer(this.#items[0] ?? {});
    return { answer: Array.from(answer, Number), timerResolutionMs: timerResolution(() => performance.now()) };
  }

  /** Applies a load once. */
  async measure({ load, sliceMs, longestSliceMs }: LoadSpec): Promise<VisitSlice> {
    const times = { sliceMs, longestSliceMs, cutShort: false };
    const setup = { items: this.#items, times, capacityPerSec: 0, random: this.#random };
    const slice = await measureSlice(this.#lane, widgetsLoad(load, this.#stage), setup, this.#instruments);
    return { ...slice, longestTaskMs: this.#instruments.longTasks.longestMs };
  }

  /** Returns from each of the next `count` keystrokes to the frame that shows it, in ms. */
  keystrokes(count: number): Promise<readonly number[]> {
    return this.#keystrokes.take(count);
  }
}
