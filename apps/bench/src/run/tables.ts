import type { Cell, CostCurve, Gap, MemoryRow, PageReport, Ratio, Row, Standing } from "../results.js";
import type { Random } from "../statistics/random.js";
import { ratiosOf } from "./ratios.js";
import { rowOf } from "./row.js";
import type { Slice } from "./slice.js";
import { standingsOf } from "./standings.js";

/** The properties that all rows of a page share. */
export interface RowFacts {
  readonly adapter: string | null;
  readonly timerResolutionMs: number;
  readonly random: Random;
}

/** The cells that are measured together: a model on a backend under a load. */
export type GroupName = Omit<Cell, "lane">;

/** The tables of a run, filled as it proceeds. */
export class Tables {
  readonly #facts: RowFacts;
  readonly #rows: Row[] = [];
  readonly #ratios: Ratio[] = [];
  readonly #standings: Standing[] = [];
  readonly #curves: CostCurve[] = [];
  readonly #memory: MemoryRow[] = [];
  readonly #gaps: Gap[] = [];

  constructor(facts: RowFacts) {
    this.#facts = facts;
  }

  addSlices(group: GroupName, slices: ReadonlyMap<string, readonly Slice[]>): void {
    const measured = new Map([...slices].filter(([, ofLane]) => ofLane.length > 0));
    for (const [lane, ofLane] of measured) this.#rows.push(rowOf({ ...group, lane }, ofLane, this.#facts));
    this.#ratios.push(...ratiosOf(group, measured, this.#facts));
    this.#standings.push(...standingsOf(group, measured, this.#facts.random));
  }

  addCurve(curve: CostCurve): void {
    this.#curves.push(curve);
  }

  addMemory(row: MemoryRow): void {
    this.#memory.push(row);
  }

  addGap(cell: Cell, reason: string): void {
    this.#gaps.push({ ...cell, reason });
  }

  filled(): Pick<PageReport, "rows" | "ratios" | "standings" | "curves" | "memory" | "gaps"> {
    const [rows, ratios, standings, curves] = [this.#rows, this.#ratios, this.#standings, this.#curves];
    return { rows, ratios, standings, curves, memory: this.#memory, gaps: this.#gaps };
  }
}
