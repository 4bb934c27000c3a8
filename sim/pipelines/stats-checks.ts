import type { PipelineHost } from "@framebatch/pipelines/builder/pipeline-timeline.js";
import type { PipelineStats } from "@framebatch/pipelines/runs/pipeline-stats.js";
import type { RunRecord } from "./run-record.js";
import type { StreamReader } from "./stream-reader.js";
import { holds } from "./violation.js";

/** What a pipeline reports of a run that has ended: its steps and their times. */
export type RunSpans = Parameters<PipelineHost["timeline"]["ended"]>;

/** P-8 and P-9. @param open number of runs that have not settled; `null` if the witness cannot know */
export function checkStats({ runs, stages }: PipelineStats, open: number | null): void {
  const { accepted, inFlight, ...endings } = runs;
  const ended = Object.values(endings).reduce((sum, count) => sum + count, 0);
  holds(accepted === ended + inFlight, "P-8", () => `accepted ${accepted}, ended ${ended}, in flight ${inFlight}`);
  holds(open === null || inFlight === open, "P-8", () => `${inFlight} runs in flight, and ${open} have not settled`);
  for (const step of stages) {
    const sum = step.completed + step.failed + step.aborted + step.inFlight;
    holds(step.accepted === sum, "P-8", () => `${step.name}: accepted ${step.accepted}, sum ${sum}`);
    holds(step.totalMs.count === step.completed, "P-8", () => `${step.name}: ${step.totalMs.count} times`);
    holds(inFlight > 0 || step.inFlight === 0, "P-9", () => `${step.name}: ${step.inFlight} parts without a run`);
  }
}

/** P-8: the statistics match what the callers were told. */
export function checkEndings({ runs }: PipelineStats, records: readonly RunRecord[]): void {
  for (const ending of ["completed", "failed", "timedOut", "superseded"] as const) {
    const seen = records.filter((run) => run.ending === ending).length;
    holds(runs[ending] === seen, "P-8", () => `${ending}: the statistics tell ${runs[ending]}, seen were ${seen}`);
  }
}

/** P-11: the time of each step lies within its run. */
export function checkSpans(steps: RunSpans[0], spans: RunSpans[1], nowMs: number): void {
  for (const [index, { startMs, endMs, parts }] of spans) {
    const isRight = index < steps.length && parts > 0 && 0 <= startMs && startMs <= endMs && endMs <= nowMs;
    holds(isRight, "P-11", () => `step ${index}: ${parts} parts from ${startMs} to ${endMs} ms`);
  }
}

/** P-6: of each stream one item is at the entrance, and one waits before it. */
export function checkEntrance(readers: readonly StreamReader[]): void {
  const waiting = readers.reduce((sum, reader) => sum + reader.waiting, 0);
  holds(waiting <= 2 * readers.length, "P-6", () => `${waiting} items of ${readers.length} streams wait to enter`);
}

/** P-6: a stream holds at most one item more than the stages can have slots. */
export function checkStreams(readers: readonly StreamReader[], slots: number): void {
  for (const { held } of readers) holds(held <= slots + 1, "P-6", () => `a stream holds ${held} items`);
}
