import { p99 } from "../results/ratios.js";
import { inTime, MEAN, type Promised } from "../results/standings.js";
import type { PageSlice } from "./page-slice.js";
import { LANES } from "./plan.js";

const [OURS = "", ...RIVALS] = LANES;

/** A twentieth of a frame. */
const LEAST_FRAMES_MS = 1000 / 60 / 20;

const keystrokes = (share: number) => ({ all: ({ keyDelaysMs }: PageSlice) => keyDelaysMs, share });

/** The p75 of an interaction is what the Web Vitals judge a page by; p98 is the worst of fifty. */
export const KEY_P75 = keystrokes(0.75);
export const KEY_P98 = keystrokes(0.98);

/** Every load of widgets. */
const cells = { lanes: [OURS], loads: /^(widgets|closed)-/, rivals: RIVALS };

export const PAGE_PROMISES: readonly Promised<PageSlice>[] = [
  {
    ...cells,
    what: "keystroke p75",
    of: KEY_P75,
    goal: { atMost: 1.05 },
    felt: { of: KEY_P75, least: LEAST_FRAMES_MS },
  },
  {
    ...cells,
    what: "keystroke p98",
    of: KEY_P98,
    goal: { atMost: 1.1 },
    felt: { of: KEY_P98, least: LEAST_FRAMES_MS },
  },
  {
    ...cells,
    what: "dropped frames",
    // One frame a second is added to both, so that a lane that drops none can be compared with.
    of: ({ droppedFramesPerSec }) => droppedFramesPerSec + 1,
    goal: { atMost: 1.1 },
    felt: { of: ({ droppedFramesPerSec }) => droppedFramesPerSec, least: 0.5 },
  },
  {
    ...cells,
    what: "frames to paint",
    of: ({ framesToPaint }) => framesToPaint,
    goal: { atMost: 1.05 },
    felt: { of: ({ framesToPaint }) => framesToPaint, least: 0.05 },
  },
  {
    ...cells,
    what: "answers a second",
    of: ({ throughputPerSec }) => throughputPerSec,
    goal: { atLeast: 0.97 },
    felt: MEAN,
  },
  { ...cells, what: "p99 of answers", of: p99, goal: { atMost: 1.1 }, felt: inTime(p99) },
];
