import type { Random } from "../statistics/random.js";
import type { Load, LoadOutcome, LoadRun } from "./load.js";
import { OpenCalls } from "./open-calls.js";
import { Place } from "./place.js";
import { everyFrame, everyMillisecond } from "./ticks.js";

/** Nothing falls behind with this few calls. */
const USUALLY_OPEN = 256;

/** Time between two keys of somebody who types fast, in milliseconds: a median, how wide around it in logarithms, and bounds. */
const KEY = { medianMs: 120, spread: 0.45, leastMs: 35, mostMs: 600 };

/** A field that is typed in: each key asks about the text as it is then, and makes what an earlier key asked pointless. */
export const typing: Load = {
  name: "typing",
  callers: 1,
  leastRounds: 1,
  needsCapacity: false,
  leastSliceMs: 1000,
  drive(run) {
    const calls = new OpenCalls(run, USUALLY_OPEN);
    const field = new Place("field");
    let dueMs = calls.startMs + untilNextKeyMs(run.random);
    return calls.until(everyMillisecond, (nowMs) => {
      for (; dueMs <= nowMs; dueMs += untilNextKeyMs(run.random)) calls.ask(dueMs, field);
    });
  },
};

/** The wall of the playground's first scene: this many tiles follow a stroke, and ask again in each frame of it. */
const TILES = 64;
const STROKE_MS = 200;
const REST_MS = 50;

/** A pointer draws, and each move of it makes every tile ask anew; between two strokes it rests. */
export const pointer: Load = {
  name: "pointer",
  callers: TILES,
  leastRounds: 1,
  needsCapacity: false,
  drive(run) {
    const calls = new OpenCalls(run, 2 * TILES);
    const tiles = Array.from({ length: TILES }, (_, tile) => new Place(`tile ${tile}`));
    return calls.until(everyFrame, (nowMs) => {
      if ((nowMs - calls.startMs) % (STROKE_MS + REST_MS) >= STROKE_MS) return;
      for (const tile of tiles) calls.ask(nowMs, tile);
    });
  },
};

/** Rows of a table in view, and how long somebody looks at them before the next screenful. */
const ROWS = 24;
const LOOK_MS = 100;

/** Somebody pages through a long table, whose rows each ask once they come into view, and no longer care once they have left it. */
export const scroll: Load = {
  name: "scroll",
  callers: ROWS,
  leastRounds: 1,
  needsCapacity: false,
  leastSliceMs: 500,
  drive: driveScroll,
};

function driveScroll(run: LoadRun): Promise<LoadOutcome> {
  const calls = new OpenCalls(run, USUALLY_OPEN);
  let rows: readonly Place[] = [];
  let dueMs = calls.startMs;
  return calls.until(everyFrame, (nowMs) => {
    if (nowMs < dueMs) return;
    dueMs = nowMs + LOOK_MS;
    for (const row of rows) calls.leave(row);
    rows = Array.from({ length: ROWS }, (_, row) => new Place(`row ${row}`));
    for (const row of rows) calls.ask(nowMs, row);
  });
}

/** Log-normal, by the transform of Box and Muller. */
function untilNextKeyMs(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const delayMs = KEY.medianMs * Math.exp(KEY.spread * normal);
  return Math.min(KEY.mostMs, Math.max(KEY.leastMs, delayMs));
}
