import { formatMs, formatNumber, formatShare } from "../format.js";
import type { Activity, Recent } from "./live-statistics.js";

const NOTHING = "–";

interface Figure {
  readonly name: string;
  /** What it means, in a sentence. */
  readonly help: string;
  readonly testId: string;
  readonly show: (activity: Activity) => string;
}

const FIGURES: readonly Figure[] = [
  {
    name: "Predictions per second now",
    help: "All callers together, in the last half second.",
    testId: "throughput",
    show: now(({ perSecond }) => formatNumber(perSecond)),
  },
  {
    name: "Latency so far, p50",
    help: "Half of the answers took less time than this, from the call to the answer.",
    testId: "p50",
    show: wait("p50"),
  },
  { name: "Latency so far, p95", help: "One answer in 20 took longer than this.", testId: "p95", show: wait("p95") },
  { name: "Latency so far, p99", help: "One answer in 100 took longer than this.", testId: "p99", show: wait("p99") },
  {
    name: "Frames until painted",
    help: "From the frame before a call to the frame that shows its answer, in the last half second.",
    testId: "frames",
    show: now(({ framesToPaint }) => known(framesToPaint, formatNumber)),
  },
  {
    name: "Dropped frames now",
    help: "Frames of the screen that this page missed in the last half second.",
    testId: "dropped",
    show: now(({ droppedShare }) => known(droppedShare, formatShare)),
  },
  {
    name: "Worker busy",
    help: "The share of the time in which the model ran.",
    testId: "busy",
    show: ({ stats }) => formatShare(stats.busyShare),
  },
  {
    name: "Padding waste",
    help: "The share of what the model computed that no request had asked for.",
    testId: "waste",
    show: ({ stats }) => formatShare(stats.paddingWaste),
  },
];

/** The figures of the current model: those of the last half second, and distributions since the load last changed. */
export function FigureGrid({ activity }: { activity: Activity | null }) {
  return (
    <dl class="figure-grid">
      {FIGURES.map(({ name, help, testId, show }) => (
        <div key={testId} class="figure">
          <dt title={help}>{name}</dt>
          <dd data-testid={`figure-${testId}`}>{activity === null ? NOTHING : show(activity)}</dd>
        </div>
      ))}
    </dl>
  );
}

function now(show: (recent: Recent) => string): Figure["show"] {
  return ({ recent }) => (recent === null ? NOTHING : show(recent));
}

function wait(quantile: "p50" | "p95" | "p99"): Figure["show"] {
  return ({ stats: { totalMs } }) => (totalMs.count === 0 ? NOTHING : formatMs(totalMs[quantile]));
}

function known(value: number | null, format: (value: number) => string): string {
  return value === null ? NOTHING : format(value);
}
