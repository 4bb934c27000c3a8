import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { formatMs } from "../format.js";
import type { Comparison } from "../measure/compare.js";
import { describeQuantile } from "../measure/verdict.js";
import type { CanvasColours, Colour, ThemeChoice } from "../theme.js";
import { LANE_LABELS } from "./lane-labels.js";
import { latencyCurves, roundLogWaits } from "./latency-curve.js";

const HEIGHT = 300;
/** Room for one mark of the axis of waits. */
const MARK_WIDTH = 64;
const FONT = "12px system-ui, sans-serif";

/** Which share of the predictions had their answer after how long. The higher and further left a curve, the better. */
export function LatencyChart({ comparison, theme }: { comparison: Comparison; theme: ThemeChoice }) {
  const host = useRef<HTMLDivElement>(null);
  const curves = useMemo(() => latencyCurves(comparison), [comparison]);
  const colours = theme.colours.value;
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const chart = new uPlot(chartOptions(element.clientWidth, colours), curves, element);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [curves, colours]);
  return (
    <figure class="chart">
      <figcaption>Share of predictions answered within a wait</figcaption>
      <div ref={host} class="chart-host" role="img" aria-label={describe(comparison)} />
    </figure>
  );
}

function describe({ batched, single }: Comparison): string {
  return `Half of the predictions are answered within ${describeQuantile(batched.waits.p50)} with batching and within ${describeQuantile(single.waits.p50)} without.`;
}

function chartOptions(width: number, colours: CanvasColours): uPlot.Options {
  const axis = {
    stroke: toCss(colours.muted),
    grid: { stroke: toCss(colours.line), width: 1 },
    ticks: { show: false },
    font: FONT,
  };
  return {
    width,
    height: HEIGHT,
    scales: { x: { time: false }, y: { range: [0, 102] } },
    axes: [
      {
        ...axis,
        size: 32,
        splits: (chart, _, low, high) => roundLogWaits(low, high, chart.width / MARK_WIDTH),
        values: (_, logWaits) => logWaits.map((logWait) => formatMs(10 ** logWait)),
      },
      { ...axis, size: 48, values: (_, shares) => shares.map((share) => `${share} %`) },
    ],
    series: [
      { label: "Wait", value: (_, logWait) => (logWait === null ? "" : formatMs(10 ** logWait)) },
      curve(LANE_LABELS.batched, colours.accent, []),
      curve(LANE_LABELS.single, colours.muted, [6, 4]),
    ],
    cursor: { drag: { x: false, y: false }, points: { size: 8 } },
    legend: { live: true },
  };
}

function curve(label: string, colour: Colour, dash: number[]): uPlot.Series {
  return {
    label,
    stroke: toCss(colour),
    width: 2,
    dash,
    points: { show: false },
    value: (_, share) => (share === null ? "" : `${share.toFixed(1)} %`),
  };
}

function toCss(colour: Colour): string {
  return `rgb(${colour.join(" ")})`;
}
