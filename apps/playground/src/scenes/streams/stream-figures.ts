import { formatMs, formatNumber, formatShare } from "../../format.js";
import type { SideFigure } from "../worlds/side-panel.js";
import type { RecentFigures } from "./recent-figures.js";

/** The figures of a world of streams. */
export const STREAM_FIGURES: readonly SideFigure<RecentFigures>[] = [
  { id: "heard", name: "Sound heard", show: ({ heardShare }) => formatShare(heardShare) },
  { id: "answer", name: "Median answer", show: ({ answerMs }) => (answerMs === null ? "–" : formatMs(answerMs)) },
  { id: "steps", name: "Steps a second", show: ({ stepsPerSecond }) => formatNumber(Math.round(stepsPerSecond)) },
  { id: "together", name: "Streams in a run", show: ({ together }) => formatNumber(together) },
];
