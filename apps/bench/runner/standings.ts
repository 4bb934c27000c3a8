import type { Row } from "../src/results.js";
import { cellName } from "../src/run/plan.js";

/** Ways to batch, or not to, that a page could use in place of framebatch. */
const PEERS: readonly string[] = [
  "off",
  "ort-main",
  "ort-proxy",
  "transformers-js",
  "dataloader",
  "window-10",
  "pacer",
];

/** Nothing is a win that noise could have made. */
const CLEARLY = 0.05;

/** One promise in one cell, held against the best peer there. */
export interface Standing {
  readonly cell: string;
  readonly what: string;
  readonly peer: string;
  readonly ours: number;
  readonly theirs: number;
  /** Ours over theirs, turned so that less is better. */
  readonly ratio: number;
  readonly allowed: number;
  readonly outcome: "won" | "tied" | "lost";
}

interface Promised {
  readonly lane: string;
  readonly what: string;
  /** `null` where the lane cannot tell. Less is better. */
  readonly burden: (row: Row) => number | null;
  readonly allowed: number;
  readonly rivals: readonly string[];
}

const PROMISES: readonly Promised[] = [
  { lane: "idle", what: "p50", burden: ({ p50Ms }) => p50Ms, allowed: 1.1, rivals: PEERS },
  { lane: "idle", what: "p99", burden: ({ p99Ms }) => p99Ms, allowed: 1.1, rivals: PEERS },
  {
    lane: "idle",
    what: "time a prediction",
    burden: ({ throughputPerSec }) => 1e6 / throughputPerSec,
    allowed: 1 / 0.95,
    rivals: PEERS,
  },
  {
    lane: "frame",
    what: "frames to paint",
    burden: ({ framesToPaint }) => framesToPaint,
    allowed: 1.05,
    rivals: [...PEERS, "idle", "window"],
  },
];

/** Every promise in every cell, the lost ones first and the worst of those at the top. */
export function standingsOf(rows: readonly Row[]): Standing[] {
  const standings = rows.flatMap((row) =>
    PROMISES.filter(({ lane }) => lane === row.lane).flatMap((promise) => standingOf(row, promise, rows)),
  );
  return standings.toSorted((a, b) => b.ratio / b.allowed - a.ratio / a.allowed);
}

function standingOf(row: Row, { what, burden, allowed, rivals }: Promised, rows: readonly Row[]): Standing[] {
  const ours = burden(row);
  const others = rows
    .filter(({ model, backend, load }) => model === row.model && backend === row.backend && load === row.load)
    .filter(({ lane }) => rivals.includes(lane))
    .flatMap((rival) => ({ peer: rival.lane, theirs: burden(rival) }))
    .filter((rival): rival is { peer: string; theirs: number } => rival.theirs !== null && rival.theirs > 0);
  const [best] = others.toSorted((a, b) => a.theirs - b.theirs);
  if (ours === null || best === undefined) return [];
  const ratio = ours / best.theirs;
  const outcome = ratio > allowed ? "lost" : ratio < 1 - CLEARLY ? "won" : "tied";
  return [{ cell: cellName(row), what, ...best, ours, ratio, allowed, outcome }];
}
