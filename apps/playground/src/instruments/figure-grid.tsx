import { formatMs, formatNumber, formatShare } from "../format.js";
import type { Activity, Recent } from "./live-statistics.js";

const NOTHING = "–";

interface Figure {
  readonly name: string;
  readonly testId: string;
  readonly show: (activity: Activity) => string;
}

const FIGURES: readonly Figure[] = [
  { name: "Predictions per second now", testId: "throughput", show: now(({ perSecond }) => formatNumber(perSecond)) },
  { name: "Latency so far, p50", testId: "p50", show: wait("p50") },
  { name: "Latency so far, p95", testId: "p95", show: wait("p95") },
  { name: "Latency so far, p99", testId: "p99", show: wait("p99") },
  {
    name: "Frames until painted",
    testId: "frames",
    show: now(({ framesToPaint }) => known(framesToPaint, formatNumber)),
  },
  { name: "Dropped frames now", testId: "dropped", show: now(({ droppedShare }) => known(droppedShare, formatShare)) },
  { name: "Worker busy", testId: "busy", show: ({ stats }) => formatShare(stats.busyShare) },
  { name: "Padding waste", testId: "waste", show: ({ stats }) => formatShare(stats.paddingWaste) },
];

/** The figures of the current model: those of the last half second, and distributions since the load last changed. */
export function FigureGrid({ activity }: { activity: Activity | null }) {
  return (
    <dl class="figure-grid">
      {FIGURES.map(({ name, testId, show }) => (
        <div key={testId} class="figure">
          <dt>{name}</dt>
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
