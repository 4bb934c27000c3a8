import type { Row } from "../run/row.js";

/** A cell over all its seeds: the unit that the criteria judge. */
export interface Scenario {
  readonly cost: string;
  readonly arrivals: string;
  readonly noise: number;
  /** One row per policy: the mean over the seeds. */
  readonly means: ReadonlyMap<string, Row>;
  /** Every row, to find the worst seed. */
  readonly rows: readonly Row[];
}

/** Groups rows by cost, arrivals and noise, in their original order. */
export function scenarios(rows: readonly Row[]): Scenario[] {
  const groups = groupBy(rows, (row) => `${row.cost}|${row.arrivals}|${row.noise}`);
  return groups.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const means = new Map(groupBy(group, (row) => row.policy).map((seeds) => [seeds[0]?.policy ?? "", meanOf(seeds)]));
    return [{ cost: first.cost, arrivals: first.arrivals, noise: first.noise, means, rows: group }];
  });
}

function groupBy(rows: readonly Row[], key: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return [...groups.values()];
}

function meanOf(rows: readonly Row[]): Row {
  const [first] = rows;
  if (first === undefined) throw new Error("expected at least one row, got none");
  const entries = Object.entries(first).map(([field, value]) => {
    const numbers = rows.map((row) => Reflect.get(row, field)).filter((each) => typeof each === "number");
    return [field, numbers.length > 0 ? numbers.reduce((sum, each) => sum + each, 0) / numbers.length : value];
  });
  return Object.assign({ ...first }, Object.fromEntries(entries));
}
