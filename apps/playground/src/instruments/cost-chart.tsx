import type { BatcherStats } from "framebatch";
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { formatMs } from "../format.js";
import type { CssColours } from "../theme.js";
import { roundLogMarks } from "./log-marks.js";
import { Plot, plotAxis } from "./plot.js";

const HEIGHT = 200;

/** Room for one mark of the axis of times. */
const MARK_HEIGHT = 40;
/** Above and below the curve, in powers of ten. */
const MARGIN = 0.15;
/** The browser's clock tells no less. */
const LEAST_MS = 1e-5;

/** A size with so little behind it has not been measured, only inferred from others. */
const MEASURED_WEIGHT = 0.5;

/** What framebatch has learned: the time per item by batch size, and the size that it aims for. */
export function CostChart({ cost, colours }: { cost: BatcherStats["cost"]; colours: CssColours }) {
  const data = useMemo(() => toData(cost), [cost]);
  const label = `Time per item by batch size. Of all sizes framebatch aims for ${describeTarget(cost)}.`;
  return (
    <Plot
      caption="Learned time per item, by batch size"
      label={label}
      height={HEIGHT}
      data={data}
      options={chartOptions}
      colours={colours}
    />
  );
}

function describeTarget({ targetSize, curve }: BatcherStats["cost"]): string {
  const chosen = curve.find(({ size }) => size === targetSize);
  return chosen === undefined ? String(targetSize) : `${targetSize}, at ${formatMs(chosen.ms / targetSize)} each`;
}

/** Logarithms: of sizes to the base of 2, of milliseconds to that of 10. The line, the measured sizes, and the chosen one. */
function toData(cost: BatcherStats["cost"]): uPlot.AlignedData | null {
  if (cost.curve.length === 0) return null;
  const { curve, targetSize } = cost;
  const perItem = curve.map(({ size, ms }) => Math.log10(Math.max(LEAST_MS, ms / size)));
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
        splits: (chart, _, low, high) => roundLogMarks(low, high, chart.height / MARK_HEIGHT),
        values: (_, logs) => logs.map((log) => formatMs(10 ** log)),
      },
    ],
    series: [
      { label: "Batch size" },
      { label: "Expected", stroke: colours.muted, width: 1.5, points: { show: false } },
      { label: "Measured", stroke: colours.accent, width: 0, paths: () => null, points: dots(5, colours.accent) },
      { label: "Aimed for", stroke: colours.ink, width: 0, paths: () => null, points: dots(12, "transparent") },
    ],
    cursor: { show: false },
    legend: { live: false },
  };
}

function dots(size: number, fill: string): uPlot.Series.Points {
  return { show: true, size, fill, width: size > 8 ? 2 : 1 };
}
