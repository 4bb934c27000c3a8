import type { Distribution } from "framebatch";
import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import { formatNumber } from "../format.js";
import { MAX_BATCH } from "../settings.js";
import type { CssColours } from "../theme.js";
import { Plot, plotAxis, plotSize } from "./plot.js";
import { sizeHistogram } from "./size-histogram.js";

const HEIGHT = 200;
/** The largest size that the page offers, 256, as a power of two. The axis is fixed, so that few sizes are readable. */
const LARGEST_POWER = Math.log2(MAX_BATCH);
/** Minimum end of the axis of counts, so that its marks are whole numbers. */
const MIN_COUNT = 4;
/** The least distance of two ticks of the axis of sizes, in px: room for "256". */
const GAP = 32;
/** Relative bar width and maximum bar width in pixels. */
const BAR: [number, number] = [0.7, 48];

/** A histogram of the batch sizes. */
export function SizeChart({ sizes, colours }: { sizes: Distribution; colours: CssColours }) {
  const data = useMemo(() => toData(sizes), [sizes]);
  const label = `Batches by size. ${formatNumber(sizes.count)} batches, ${formatNumber(sizes.mean)} requests each on average.`;
  return (
    <Plot
      caption="Batches by number of requests"
      label={label}
      height={HEIGHT}
      data={data}
      options={chartOptions}
      colours={colours}
    />
  );
}

/** Groups the sizes by powers of two. */
function toData(sizes: Distribution): uPlot.AlignedData | null {
  if (sizes.count === 0) return null;
  const { bounds, counts } = sizeHistogram(sizes);
  return [bounds.map((bound) => Math.log2(bound)), [...counts]];
}

function chartOptions(colours: CssColours): Omit<uPlot.Options, "width" | "height"> {
  const axis = plotAxis(colours);
  return {
    scales: {
      x: { time: false, range: [-0.6, LARGEST_POWER + 0.6] },
      y: { range: (_, __, high) => [0, Math.max(MIN_COUNT, high)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 32,
        splits: (chart, _, low, high) => everySoMany(low, high, plotSize(chart).width),
        values: (_, powers) => powers.map((power) => String(2 ** power)),
      },
      { ...axis, size: 56, values: (_, counts) => counts.map((count) => formatNumber(count)) },
    ],
    series: [
      {},
      {
        label: "Batches",
        fill: colours.accent,
        stroke: colours.accent,
        width: 0,
        ...(uPlot.paths.bars !== undefined && { paths: uPlot.paths.bars({ size: BAR, radius: 0.1 }) }),
        points: { show: false },
      },
    ],
    cursor: { show: false },
    legend: { show: false },
  };
}

/** The whole numbers from 0 on, or each second, third … of them, if the axis is short. */
function everySoMany(low: number, high: number, length: number): number[] {
  const step = Math.ceil((GAP / Math.max(GAP, length)) * (high - low));
  return Array.from({ length: Math.floor(high / step) + 1 }, (_, index) => index * step);
}
