import { formatMs, formatNumber } from "../../format.js";
import type { SideFigure } from "../worlds/side-panel.js";
import type { PageFigures } from "./translated-page.js";

/** The figures of a translated page. */
export const PAGE_FIGURES: readonly SideFigure<PageFigures>[] = [
  { id: "done", name: "Sentences done", show: ({ done }) => formatNumber(done) },
  { id: "words", name: "Words a second", show: ({ wordsPerSecond }) => formatNumber(Math.round(wordsPerSecond)) },
  {
    id: "first-view",
    name: "First view done",
    show: ({ firstViewMs }) => (firstViewMs === null ? "–" : formatMs(firstViewMs)),
  },
  { id: "together", name: "Texts in a step", show: ({ together }) => formatNumber(together) },
];
