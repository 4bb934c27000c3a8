import { FRAME, RATE } from "@framebatch/models/voices";
import type { ReadonlySignal } from "@preact/signals";
import type { Playground } from "../../playground.js";
import type { ModelAtUrl } from "../scene-model.js";
import type { Load } from "../worlds/limit.js";
import { TwoWorlds } from "../worlds/two-worlds.js";
import { dueOf, recentFigures, type RecentFigures } from "./recent-figures.js";
import type { StreamFigures, StreamSettings } from "./world/protocol.js";

export type StreamWorlds = TwoWorlds<StreamSettings, StreamFigures, RecentFigures>;

/** Two worlds that hear the same streams. */
export function streamWorlds(playground: Playground, model: ReadonlySignal<ModelAtUrl>): StreamWorlds {
  return new TwoWorlds(playground, {
    startWorker: () => new Worker(new URL("./world/world-worker.ts", import.meta.url), { type: "module" }),
    model,
    settings: (width, isMoving) => settingsOf(playground, width, isMoving),
    recent: recentFigures,
    load: loadOf,
  });
}

function settingsOf({ theme, settings }: Playground, width: number, isMoving: boolean): StreamSettings {
  const { line, edge, accent, differs } = theme.css.value;
  const colours = { voice: accent, quiet: edge, waiting: line, missed: differs };
  return { streams: settings.streams.value, isMoving, width, colours };
}

/** A side that leaves steps out carries as many streams as it has answers for. */
function loadOf(figures: StreamFigures): Load {
  const { streams, heard, elapsedMs } = figures;
  return {
    callers: streams,
    inTime: heard / dueOf(figures),
    carries: heard / (elapsedMs / 1000) / (RATE / FRAME),
  };
}
