import { allCells, type Cell } from "../model/cells.js";
import type { Policy } from "../policy.js";
import type { Row } from "../run/row.js";
import { runCell } from "../run/run-cell.js";

const NOISES = [0, 0.1];

export interface TableOptions {
  /** Restricts the table to cells and policies whose "cost arrivals policy" contains this text. */
  readonly only: string;
  readonly seeds: number;
  /** Rows of an earlier run, which replace a new run of the same cell, noise, seed and policy. */
  readonly known: readonly Row[];
  /** Called with all rows of a scenario as soon as they are complete. */
  readonly onScenario: (rows: readonly Row[]) => void;
}

/** Runs every policy in every cell. */
export function runTable(policies: Readonly<Record<string, Policy>>, options: TableOptions): Row[] {
  const known = new Map(
    options.known.map((row) => [key(row.cost, row.arrivals, row.noise, row.seed, row.policy), row]),
  );
  return allCells().flatMap((cell) =>
    NOISES.flatMap((noise) => {
      const rows = runScenario(cell, noise, policies, known, options);
      if (rows.length > 0) options.onScenario(rows);
      return rows;
    }),
  );
}

function runScenario(
  cell: Cell,
  noise: number,
  policies: Readonly<Record<string, Policy>>,
  known: ReadonlyMap<string, Row>,
  { only, seeds }: TableOptions,
): Row[] {
  const rows: Row[] = [];
  for (const [name, policy] of Object.entries(policies)) {
    if (!`${cell.cost.name} ${cell.arrivals} ${name}`.includes(only)) continue;
    for (let seed = 1; seed <= seeds; seed++) {
      const before = known.get(key(cell.cost.name, cell.arrivals, noise, seed, name));
      rows.push(before ?? runCell(cell, noise, seed, name, policy));
    }
  }
  return rows;
}

function key(cost: string, arrivals: string, noise: number, seed: number, policy: string): string {
  return [cost, arrivals, noise, seed, policy].join("|");
}
