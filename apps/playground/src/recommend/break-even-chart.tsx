import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { Legend, type Mark } from "../instruments/legend.js";
import { roundLogMarks } from "../instruments/log-marks.js";
import { Plot, plotAxis, plotSize } from "../instruments/plot.js";
import { formatFactor } from "../measure/verdict.js";
import type { CssColours, ThemeChoice } from "../theme.js";
import { describeBreakEven, type GainPoint } from "./break-even.js";

const HEIGHT = 240;
/** The least distance of two ticks of the factor axis, in px. */
const GAP = 20;
/** Factors of the interval beyond this, or below its inverse, are not drawn. */
const MOST = 100;

const LEGEND: readonly (readonly [Mark, string])[] = [
  ["dot", "measured"],
  ["line", "95 % confidence interval"],
];

/** The throughput with batching relative to that without, by the number of callers. */
export function BreakEvenChart({ points, theme }: { points: readonly GainPoint[]; theme: ThemeChoice }) {
  const data = useMemo(() => toData(points), [points]);
  return (
    <Plot
      caption="Throughput with batching, by callers: times that without"
      label={describeBreakEven(points)}
      height={HEIGHT}
      data={data}
      options={chartOptions}
      colours={theme.css.value}
      legend={<Legend entries={LEGEND} />}
    />
  );
}

/** The columns: log2 of the callers, and log10 of the factor, of the ends of its interval, and of 1. */
function toData(points: readonly GainPoint[]): uPlot.AlignedData {
  const log = (factor: number): number | null => (factor > MOST || factor < 1 / MOST ? null : Math.log10(factor));
  return [
    points.map(({ callers }) => Math.log2(callers)),
    points.map(({ factor }) => log(factor.value)),
    points.map(({ factor }) => log(factor.low)),
    points.map(({ factor }) => log(factor.high)),
    points.map(() => 0),
  ];
}

function chartOptions(colours: CssColours): Omit<uPlot.Options, "width" | "height"> {
  const axis = plotAxis(colours);
  const end = { stroke: colours.muted, width: 1.5, points: { show: false } };
  return {
    scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(low, -0.1), Math.max(high, 0.1)] } },
    axes: [
      {
        ...axis,
        size: 32,
        incrs: [1, 2],
        values: (_, powers) => powers.map((power) => String(2 ** power)),
      },
      {
        ...axis,
        size: 56,
        splits: (chart, _, low, high) => roundLogMarks({ low, high, length: plotSize(chart).height, gap: GAP }),
        values: (_, logs) => logs.map((log) => formatFactor(10 ** log)),
      },
    ],
    series: [
      {},
      { stroke: colours.accent, width: 2, points: { show: true, size: 7, fill: colours.accent } },
      end,
      end,
      { stroke: colours.ink, width: 1, dash: [6, 4], points: { show: false } },
    ],
    cursor: { show: false },
    legend: { show: false },
  };
}
