import type { BatcherStats } from "framebatch";
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { formatMs } from "../format.js";
import type { CssColours } from "../theme.js";
import { Legend, type Mark } from "./legend.js";
import { roundLogMarks } from "./log-marks.js";
import { Plot, plotAxis, plotSize } from "./plot.js";

const HEIGHT = 200;

/** The least distance of two ticks of the time axis, in px. */
const GAP = 20;
/** Margin above and below the curve, in powers of ten. */
const MARGIN = 0.15;
/** Lower bound for times, in ms, so that their logarithms are finite. */
const MIN_MS = 1e-5;

const LEGEND: readonly (readonly [Mark, string])[] = [
  ["small dot", "expected"],
  ["dot", "measured"],
  ["ring", "target"],
];

/** Minimum weight of a measured size. A time with less weight is inferred from other sizes. */
const MEASURED_WEIGHT = 0.5;

/** The learned cost curve: the time per item by batch size, and the target batch size. */
export function CostChart({ cost, colours }: { cost: BatcherStats["cost"]; colours: CssColours }) {
  const data = useMemo(() => toData(cost), [cost]);
  const label = `Time per item by batch size. The target size is ${describeTarget(cost)}.`;
  return (
    <Plot
      caption="Learned time per item, by batch size"
      label={label}
      height={HEIGHT}
      data={data}
      options={chartOptions}
      colours={colours}
      legend={<Legend entries={LEGEND} />}
    />
  );
}

function describeTarget({ targetSize, curve }: BatcherStats["cost"]): string {
  const chosen = curve.find(({ size }) => size === targetSize);
  return chosen === undefined ? String(targetSize) : `${targetSize}, at ${formatMs(chosen.ms / targetSize)} each`;
}

/**
 * The columns of the chart: log2 of the sizes, log10 of the milliseconds per item, the measured points, and the target.
 */
function toData(cost: BatcherStats["cost"]): uPlot.AlignedData | null {
  if (cost.curve.length === 0) return null;
  const { curve, targetSize } = cost;
  const perItem = curve.map(({ size, ms }) => Math.log10(Math.max(MIN_MS, ms / size)));
  const where = (isShown: (index: number) => boolean) => perItem.map((ms, index) => (isShown(index) ? ms : null));
  const chosen = curve.findLastIndex(({ size }) => size <= targetSize);
  return [
    curve.map(({ size }) => Math.log2(size)),
    perItem,
    where((index) => (curve[index]?.weight ?? 0) >= MEASURED_WEIGHT),
    where((index) => index === chosen),
  ];
}

function chartOptions(colours: CssColours): Omit<uPlot.Options, "width" | "height"> {
  const axis = plotAxis(colours);
  return {
    scales: { x: { time: false }, y: { range: (_, low, high) => [low - MARGIN, high + MARGIN] } },
    axes: [
      {
        ...axis,
        size: 32,
        incrs: [1, 2, 4],
        values: (_, powers) => powers.map((power) => String(2 ** power)),
      },
      {
        ...axis,
        size: 72,
        splits: (chart, _, low, high) => roundLogMarks({ low, high, length: plotSize(chart).height, gap: GAP }),
        values: (_, logs) => logs.map((log) => formatMs(10 ** log)),
      },
    ],
    series: [
      { label: "Batch size" },
      { label: "Expected", stroke: colours.muted, width: 0, paths: () => null, points: dots(3, colours.muted) },
      { label: "Measured", stroke: colours.accent, width: 0, paths: () => null, points: dots(5, colours.accent) },
      { label: "Target", stroke: colours.ink, width: 0, paths: () => null, points: dots(12, "transparent") },
    ],
    cursor: { show: false },
    legend: { show: false },
  };
}

function dots(size: number, fill: string): uPlot.Series.Points {
  return { show: true, size, fill, width: size > 8 ? 2 : 1 };
}
