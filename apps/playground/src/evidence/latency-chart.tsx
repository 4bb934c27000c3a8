import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { formatMs } from "../format.js";
import { roundLogMarks } from "../instruments/log-marks.js";
import { Plot, plotAxis, plotSize } from "../instruments/plot.js";
import type { Comparison } from "../measure/compare.js";
import { formatFigure } from "../measure/verdict.js";
import type { CssColours, ThemeChoice } from "../theme.js";
import { LANE_LABELS } from "./lane-labels.js";
import { latencyCurves } from "./latency-curve.js";

const HEIGHT = 300;
/** The least distance of two ticks of the latency axis, in px. */
const GAP = 56;

/** The cumulative distribution of the latency. A curve further up and to the left is better. */
export function LatencyChart({ comparison, theme }: { comparison: Comparison; theme: ThemeChoice }) {
  const curves = useMemo(() => latencyCurves(comparison), [comparison]);
  return (
    <Plot
      caption="Share of predictions by latency"
      label={describe(comparison)}
      height={HEIGHT}
      data={curves}
      options={chartOptions}
      colours={theme.css.value}
    />
  );
}

function describe({ gains: { median } }: Comparison): string {
  return `Half of the predictions are answered within ${formatFigure("median", median.batched)} with batching and within ${formatFigure("median", median.single)} without.`;
}

function chartOptions(colours: CssColours): Omit<uPlot.Options, "width" | "height"> {
  const axis = plotAxis(colours);
  return {
    scales: { x: { time: false }, y: { range: [0, 102] } },
    axes: [
      {
        ...axis,
        size: 32,
        splits: (chart, _, low, high) => roundLogMarks({ low, high, length: plotSize(chart).width, gap: GAP }),
        values: (_, logWaits) => logWaits.map((logWait) => formatMs(10 ** logWait)),
      },
      { ...axis, size: 48, values: (_, shares) => shares.map((share) => `${share} %`) },
    ],
    series: [
      { label: "Latency", value: (_, logWait) => (logWait === null ? "" : formatMs(10 ** logWait)) },
      curve(LANE_LABELS.batched, colours.accent, []),
      curve(LANE_LABELS.single, colours.muted, [6, 4]),
    ],
    cursor: { drag: { x: false, y: false }, points: { size: 8 } },
    legend: {
      live: true,
      markers: { width: 2, fill: "transparent", dash: (_, series) => (series === 2 ? "dashed" : "solid") },
    },
  };
}

function curve(label: string, stroke: string, dash: number[]): uPlot.Series {
  return {
    label,
    stroke,
    width: 2,
    dash,
    points: { show: false },
    value: (_, share) => (share === null ? "" : `${share.toFixed(1)} %`),
  };
}
