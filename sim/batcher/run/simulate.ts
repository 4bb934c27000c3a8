import { readFileSync, writeFileSync } from "node:fs";
import { BASELINES } from "../baselines/index.js";
import { changesFor } from "../report/changes.js";
import { judge } from "../report/criteria.js";
import { drawFrontier } from "../report/frontier-svg.js";
import { scenarios } from "../model/scenarios.js";
import { OURS } from "../our-names.js";
import { framebatch } from "../ours.js";
import type { Policy } from "../policy.js";
import { scenarioTable, summary } from "../report/report.js";
import type { Row } from "./row.js";
import { runTable } from "../report/table.js";

export interface SimulateOptions {
  readonly only: string;
  readonly seeds: number;
  readonly brief: boolean;
  readonly json?: string;
  readonly svg?: string;
  readonly reuse?: string;
  readonly against?: string;
}

/** Every policy of the table by name, framebatch's first. */
const POLICIES: Readonly<Record<string, Policy>> = {
  frame: framebatch("frame"),
  idle: framebatch("idle"),
  window: framebatch("window"),
  ...BASELINES,
};

/** Runs the scenario table, prints it with a summary, and writes the requested files. */
export function simulate({ only, seeds, brief, json, svg, reuse, against }: SimulateOptions): void {
  const startedAtMs = performance.now();
  const rows = runTable(POLICIES, {
    only,
    seeds,
    known: reuse === undefined ? [] : rowsIn(reuse).filter((row) => !OURS.includes(row.policy)),
    onScenario: (some) => {
      if (!brief) for (const scenario of scenarios(some)) console.log(scenarioTable(scenario));
    },
  });
  const all = scenarios(rows);
  console.log(summary(judge(all)));
  if (against !== undefined) console.log(`\n${changesFor(scenarios(rowsIn(against)), all)}`);
  console.log(`\n${rows.length} rows in ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`);
  if (json !== undefined) writeFileSync(json, JSON.stringify({ rows }));
  if (svg !== undefined) writeFileSync(svg, drawFrontier(all));
}

function rowsIn(file: string): Row[] {
  const { rows }: { rows: Row[] } = JSON.parse(readFileSync(file, "utf8"));
  return rows;
}
