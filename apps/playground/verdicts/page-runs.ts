import { loadavg } from "node:os";
import type { PageOutcome } from "./page-outcome.js";

/** One measurement of a model on the page. */
export interface PageRun {
  readonly model: string;
  readonly outcome: PageOutcome;
}

/** From the click to the answer, for 95 % of the answers, in ms. */
const PROMISED_MS = 30_000;

export function keepsItsPromises(runs: readonly PageRun[]): boolean {
  return p95Of(runs) <= PROMISED_MS && runs.every(({ outcome }) => outcome.contradictions.length === 0);
}

/** A Markdown table with the answers of each model, and the time to an answer. */
export function summariseRuns(runs: readonly PageRun[]): string {
  const models = [...new Set(runs.map(({ model }) => model))];
  const rows = models.map((model) => {
    const own = runs.filter((run) => run.model === model);
    const answers = own.map(({ outcome }) => outcome.headline).join("; ");
    const seconds = own.map(({ outcome }) => (outcome.answerMs / 1000).toFixed(1)).join(", ");
    const contradictions = own.flatMap(({ outcome }) => outcome.contradictions);
    return `| ${model} | ${answers} | ${seconds} | ${contradictions.join("<br>") || "none"} |`;
  });
  const count = runs.flatMap(({ outcome }) => outcome.contradictions).length;
  return [
    "| model | answers | seconds | contradictions |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    `Time to an answer, p95 of ${runs.length}: ${(p95Of(runs) / 1000).toFixed(1)} s. Contradictions: ${count}.`,
    `Load of the machine in the last minute: ${loadavg()[0]?.toFixed(1)}.`,
  ].join("\n");
}

function p95Of(runs: readonly PageRun[]): number {
  const times = runs.map(({ outcome }) => outcome.answerMs).toSorted((a, b) => a - b);
  return times[Math.ceil(0.95 * times.length) - 1] ?? 0;
}
