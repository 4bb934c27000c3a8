import { COSTS } from "../model/costs.js";
import type { Scenario } from "../model/scenarios.js";
import { OURS } from "../our-names.js";
import type { Row } from "../run/row.js";

/** The result of one criterion in one scenario. */
export interface Verdict {
  readonly criterion: string;
  readonly scenario: string;
  /** The value of our policy, averaged over the seeds. */
  readonly value: number;
  readonly limit: number;
  /** The policy that sets the limit; empty if the limit is absolute. */
  readonly rival: string;
  readonly passed: boolean;
  /**
   * Distance beyond the limit as a share of the limit: 0.1 is 10 % too much or too little. Negative if the criterion
   * passed.
   */
  readonly excess: number;
  /** The worst seed for our policy. */
  readonly worst: { readonly seed: number; readonly value: number };
}

/** A number of a row, and whether a lower value is better. */
interface Metric {
  readonly of: (row: Row) => number;
  readonly isCost: boolean;
}

const P50: Metric = { of: (row) => row.p50Ms, isCost: true };
const P99: Metric = { of: (row) => row.p99Ms, isCost: true };
const MEAN: Metric = { of: (row) => row.meanMs, isCost: true };
const FIRST_ANSWER: Metric = { of: (row) => row.firstAnswerMs, isCost: true };
const FRAMES: Metric = { of: (row) => row.framesToPaint, isCost: true };
const DEVICE: Metric = { of: (row) => row.deviceMsPerRequest, isCost: true };
const THROUGHPUT: Metric = { of: (row) => row.throughputPerSec, isCost: false };
const GOOD_SHARE: Metric = { of: (row) => row.goodShare, isCost: false };
const REFUSAL: Metric = { of: (row) => row.refusalP50Ms ?? 0, isCost: true };
const IDLE_WAKE_UPS: Metric = { of: (row) => row.idleWakeUps, isCost: true };

/** A policy sets the latency limit only if it answers and accepts at least 98 % as many requests as ours. */
const COMPARABLE = 0.98;
const KEEPS_UP = 0.98;
const REFUSAL_LIMIT_MS = 5;

/** The least fixed cost of a run that a page can feel, a twentieth of a frame: cheaper runs need not be saved. */
const DEAR_MS = 1000 / 60 / 20;

/** Judges every criterion in every scenario that it applies to. */
export function judge(scenarios: readonly Scenario[]): Verdict[] {
  return scenarios.flatMap((scenario) => [...judgeRules(scenario), ...judgeWakeUps(scenario)]);
}

function judgeRules(scenario: Scenario): Verdict[] {
  if (isOverload(scenario)) return judgeOverload(scenario);
  if (scenario.arrivals.startsWith("isolated burst")) return judgeBursts(scenario);
  return [...judgeIdle(scenario), ...judgeFrame(scenario)];
}

/**
 * Compares the first answer only with policies whose mean latency is within 10 % of the best. Running requests one by
 * one gives an early first answer, but it is no rival where batching pays.
 */
function judgeBursts(scenario: Scenario): Verdict[] {
  const everyone = [...scenario.means.values()];
  const bestMeanMs = Math.min(...everyone.map(MEAN.of));
  const near = everyone.filter((row) => MEAN.of(row) <= 1.1 * bestMeanMs);
  return ["frame", "idle"].flatMap((name) => {
    const ours = scenario.means.get(name);
    if (ours === undefined) return [];
    return [
      ...relative(scenario, `${name} burst mean`, ours, MEAN, 1.05, everyone),
      ...relative(scenario, `${name} burst first answer`, ours, FIRST_ANSWER, 1.25, near),
    ];
  });
}

/**
 * Returns whether the scenario has an objective. Such scenarios are judged by the share answered in time, because
 * latency alone would favour the policy that refuses most.
 */
function isOverload({ arrivals }: Scenario): boolean {
  return arrivals.includes("overload") || arrivals.includes("objective");
}

function judgeIdle(scenario: Scenario): Verdict[] {
  const ours = scenario.means.get("idle");
  if (ours === undefined) return [];
  const rivals = baselines(scenario);
  return [
    ...relative(scenario, "idle p50", ours, P50, 1.05, comparable(rivals, ours)),
    ...relative(scenario, "idle p99", ours, P99, 1.05, comparable(rivals, ours)),
    ...relative(scenario, "idle throughput", ours, THROUGHPUT, 0.98, rivals),
  ];
}

function judgeFrame(scenario: Scenario): Verdict[] {
  const ours = scenario.means.get("frame");
  if (ours === undefined) return [];
  const everyone = [...scenario.means.values()];
  const flush = everyone.filter((row) => row.policy === "raf" && areRunsDear(scenario) && flushKeepsUp(scenario, row));
  const off = everyone.filter((row) => row.policy === "off" && scenario.arrivals === "closed 1");
  return [
    ...relative(scenario, "frame frames to paint", ours, FRAMES, 1.02, comparable(everyone, ours)),
    ...relative(scenario, "frame device time", ours, DEVICE, 1.1, flush),
    ...relative(scenario, "frame p50 alone", ours, P50, 1.05, off),
  ];
}

/** Returns whether a second run costs what a page can feel. */
function areRunsDear(scenario: Scenario): boolean {
  const cost = COSTS.find(({ name }) => name === scenario.cost);
  return cost === undefined || 2 * cost.ms(1) - cost.ms(2) >= DEAR_MS;
}

/**
 * Returns whether the flush serves nearly the best throughput. A flush at frames never counts in "hidden spells": a
 * hidden tab gets no frames, so the flush answers nothing there.
 */
function flushKeepsUp({ arrivals, means }: Scenario, flush: Row): boolean {
  const best = Math.max(...[...means.values()].map((row) => row.throughputPerSec));
  return arrivals !== "hidden spells" && flush.throughputPerSec >= KEEPS_UP * best;
}

function judgeOverload(scenario: Scenario): Verdict[] {
  return ["frame", "idle"].flatMap((name) => {
    const ours = scenario.means.get(name);
    if (ours === undefined) return [];
    return [
      ...relative(scenario, `${name} good share`, ours, GOOD_SHARE, 1, baselines(scenario)),
      absolute(scenario, `${name} time to refusal`, ours, REFUSAL, REFUSAL_LIMIT_MS),
    ];
  });
}

function judgeWakeUps(scenario: Scenario): Verdict[] {
  return OURS.flatMap((name) => {
    const ours = scenario.means.get(name);
    return ours === undefined ? [] : [absolute(scenario, `${name} idle wake-ups`, ours, IDLE_WAKE_UPS, 0)];
  });
}

function baselines(scenario: Scenario): Row[] {
  return [...scenario.means.values()].filter((row) => !OURS.includes(row.policy));
}

function comparable(rivals: readonly Row[], ours: Row): Row[] {
  const accepted = (row: Row): number => row.offered - row.refused;
  return rivals.filter(
    (row) => row.completed >= COMPARABLE * ours.completed && accepted(row) >= COMPARABLE * accepted(ours),
  );
}

/** Compares our value with `factor` times the best rival's value; returns no verdict if there is no rival. */
function relative(
  scenario: Scenario,
  criterion: string,
  ours: Row,
  metric: Metric,
  factor: number,
  rivals: readonly Row[],
): Verdict[] {
  const [best] = rivals.toSorted((a, b) => (metric.isCost ? metric.of(a) - metric.of(b) : metric.of(b) - metric.of(a)));
  if (best === undefined) return [];
  return [verdict(scenario, criterion, ours, metric, factor * metric.of(best), best.policy)];
}

function absolute(scenario: Scenario, criterion: string, ours: Row, metric: Metric, limit: number): Verdict {
  return verdict(scenario, criterion, ours, metric, limit, "");
}

function verdict(
  scenario: Scenario,
  criterion: string,
  ours: Row,
  metric: Metric,
  limit: number,
  rival: string,
): Verdict {
  const value = metric.of(ours);
  const beyond = metric.isCost ? value - limit : limit - value;
  return {
    criterion,
    scenario: `${scenario.cost}, ${scenario.arrivals}, noise ${scenario.noise}`,
    value,
    limit,
    rival,
    passed: beyond <= 1e-9,
    excess: beyond / Math.max(limit, 1e-9),
    worst: worstSeed(scenario, ours.policy, metric),
  };
}

function worstSeed({ rows }: Scenario, policy: string, { of, isCost }: Metric): { seed: number; value: number } {
  const seeds = rows.filter((row) => row.policy === policy).map((row) => ({ seed: row.seed, value: of(row) }));
  const [worst] = seeds.toSorted((a, b) => (isCost ? b.value - a.value : a.value - b.value));
  return worst ?? { seed: 0, value: 0 };
}
