import { untilNextKeyMs } from "./keystroke-gaps.js";
import type { Load, LoadOutcome, LoadRun } from "./load.js";
import { OpenCalls } from "./open-calls.js";
import { Place } from "./place.js";
import { everyFrame, everyMillisecond } from "./ticks.js";

/** Number of open calls up to which no lane counts as falling behind. */
const USUALLY_OPEN = 256;

/** A text field. Each keystroke sends a request for the current text and makes earlier requests obsolete. */
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

/** The wall of the playground's first scene: this many tiles follow a stroke and send a request in each frame of it. */
const TILES = 64;
const STROKE_MS = 200;
const REST_MS = 50;

/** A pointer draws strokes with pauses between them. Each frame of a stroke makes every tile send a new request. */
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

/** Number of visible rows of a table, and the time until the next page, in ms. */
const ROWS = 24;
const LOOK_MS = 100;

/** Paging through a long table. Each row sends a request when it appears and withdraws it when it disappears. */
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
