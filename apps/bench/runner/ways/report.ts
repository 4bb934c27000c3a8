import type { Gap, Row, Standing } from "../../src/results.js";
import type { Training } from "../../src/ways/training.js";
import { poolPages } from "../results/pool.js";
import type { Machine } from "../results/report.js";
import type { MeasuredCell, RanOn } from "./measure-cell.js";
import type { WaysCell } from "./plan.js";

/** The report of `npm run bench -- --ways`. apps/bench/README.md describes each field. */
export interface WaysReport extends RunFacts {
  /** The version. It increases when the meaning of a field changes. */
  readonly format: 1;
  readonly rows: readonly Row[];
  readonly standings: readonly Standing[];
  readonly trainings: readonly TrainingRow[];
  readonly ranOn: readonly RanOn[];
  readonly gaps: readonly Gap[];
}

export interface RunFacts {
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly command: string;
  readonly seed: number;
  readonly machine: Machine;
  readonly browser: string;
  /** Cells that could not be measured, and why. */
  readonly problems: readonly string[];
}

/** A visit on which the ways could be measured. */
export interface TrainingRow extends WaysCell, Omit<Training, "group"> {
  /** `trial-8`: with eight callers. */
  readonly load: string;
}

/** Computes the figures of all cells, and compares framebatch without options with the best way by hand. */
export function reportOf(cells: readonly MeasuredCell[], facts: RunFacts): WaysReport {
  const onHardware = cells.filter(hasHardware).map(({ cell }) => nameOf(cell));
  const { rows, standings } = poolPages(
    cells.flatMap(({ pages }) => pages),
    facts.seed,
  );
  return {
    format: 1,
    ...facts,
    rows: rows.filter(({ load }) => !load.startsWith("trial-")),
    // On a hardware GPU the first visit tries the GPU, whatever the model.
    standings: standings.filter(({ what, ...cell }) => what !== "first visit" || !onHardware.includes(nameOf(cell))),
    trainings: cells.flatMap(({ trainings }) =>
      trainings.map(({ group: { name }, ...training }) => ({ ...name, ...training })),
    ),
    ranOn: cells.flatMap(({ ranOn }) => ranOn),
    gaps: cells.flatMap(({ gaps }) => gaps),
  };
}

function hasHardware({ trainings }: MeasuredCell): boolean {
  return trainings.some(({ adapter }) => adapter !== null && !adapter.isSoftware);
}

function nameOf({ model, backend, site }: WaysCell): string {
  return `${model} ${backend} ${site}`;
}
