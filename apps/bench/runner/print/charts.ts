import type { Row } from "../../src/results.js";
import { grouped } from "../../src/ort/grouped.js";
import type { Report } from "../results/report.js";

/** A series of points, ascending in x. */
export interface Series {
  readonly label: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** The input of `draw-charts.js`. */
export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly isLogX: boolean;
  readonly isLogY: boolean;
  /** Whether to draw points without lines. */
  readonly isScatter: boolean;
  readonly series: readonly Series[];
}

/**
 * Creates charts of throughput and latency by load, of the learned cost curves, and of frames to paint by device time.
 */
export function chartsOf(report: Report): Chart[] {
  const groups = grouped(report.rows, ({ model, backend, site }) => `${model}, ${backend}, ${site} site`);
  return [...groups].flatMap(([name, rows]) =>
    [throughput(name, rows), latency(name, rows), frontier(name, rows), costs(name, report)].filter(
      ({ series }) => series.some(({ points }) => points.length > 1) || series.length > 1,
    ),
  );
}

function throughput(name: string, rows: readonly Row[]): Chart {
  return {
    title: `${name}: throughput against callers`,
    xLabel: "callers",
    yLabel: "predictions a second",
    isLogX: true,
    isLogY: true,
    isScatter: false,
    series: byLane(rows, /^closed-(\d+)$/, ({ throughputPerSec }) => throughputPerSec),
  };
}

function latency(name: string, rows: readonly Row[]): Chart {
  return {
    title: `${name}: p99 against load`,
    xLabel: "share of capacity asked for, in %",
    yLabel: "p99, ms",
    isLogX: false,
    isLogY: true,
    isScatter: false,
    series: byLane(rows, /^open-(\d+)%$/, ({ p99Ms }) => p99Ms),
  };
}

/** Points further down and to the left are better: fewer frames to paint and less device time. */
function frontier(name: string, rows: readonly Row[]): Chart {
  const perFrame = rows.filter(({ load }) => /^(burst-|scattered-|typing|pointer|scroll)/.test(load));
  return {
    title: `${name}: frames to paint against device time, under loads of a user interface`,
    xLabel: "share of the time in which the device is busy",
    yLabel: "frames to paint",
    isLogX: false,
    isLogY: false,
    isScatter: true,
    series: perFrame.flatMap(({ lane, load, busyShare, framesToPaint }) =>
      busyShare === null || framesToPaint === null
        ? []
        : [{ label: `${lane}, ${load}`, points: [[busyShare, framesToPaint] as const] }],
    ),
  };
}

function costs(name: string, { curves }: Report): Chart {
  const own = curves.filter(({ model, backend, site }) => `${model}, ${backend}, ${site} site` === name);
  return {
    title: `${name}: what a run costs, as framebatch has learned it`,
    xLabel: "batch size",
    yLabel: "ms a prediction",
    isLogX: true,
    isLogY: true,
    isScatter: false,
    series: own.map(({ lane, targetSize, points }) => ({
      label: `${lane}, aims for ${targetSize}`,
      points: points.filter(({ ms }) => ms > 0).map(({ size, ms }) => [size, ms / size] as const),
    })),
  };
}

/** Creates one line per lane; x is the number in the name of the load. */
function byLane(rows: readonly Row[], loads: RegExp, value: (row: Row) => number | null): Series[] {
  const lanes = grouped(rows, ({ lane }) => lane);
  return [...lanes].flatMap(([label, ofLane]) => {
    const points = ofLane.flatMap((row) => {
      const x = loads.exec(row.load)?.[1];
      const y = value(row);
      return x === undefined || y === null ? [] : [[Number(x), y] as const];
    });
    return points.length === 0 ? [] : [{ label, points: points.toSorted(([a], [b]) => a - b) }];
  });
}
