import type { ReadonlySignal } from "@preact/signals";
import type { Playground } from "../../playground.js";
import type { ModelAtUrl } from "../scene-model.js";
import type { Load } from "../worlds/limit.js";
import { TwoWorlds } from "../worlds/two-worlds.js";
import { recentFigures, type RecentFigures } from "./recent-figures.js";
import type { WorldFigures, WorldSettings } from "./world/protocol.js";

export type CarWorlds = TwoWorlds<WorldSettings, WorldFigures, RecentFigures>;

/** Two worlds with the same cars. */
export function carWorlds(playground: Playground, model: ReadonlySignal<ModelAtUrl>): CarWorlds {
  return new TwoWorlds(playground, {
    startWorker: () => new Worker(new URL("./world/world-worker.ts", import.meta.url), { type: "module" }),
    model,
    settings: (width, isMoving) => settingsOf(playground, width, isMoving),
    recent: recentFigures,
    load: loadOf,
  });
}

function settingsOf({ theme, settings }: Playground, width: number, isMoving: boolean): WorldSettings {
  const { line, edge, accent, differs } = theme.css.value;
  const colours = { road: line, edge, car: accent, crashed: differs };
  return { cars: settings.cars.value, isMoving, width, colours };
}

/** A side that misses frames carries as many cars as have their answers in one frame. */
function loadOf({ cars, frames, busyMs, elapsedMs }: WorldFigures, framePeriodMs: number): Load {
  return {
    callers: cars,
    inTime: (frames * framePeriodMs) / elapsedMs,
    carries: (cars * framePeriodMs * frames) / busyMs,
  };
}
