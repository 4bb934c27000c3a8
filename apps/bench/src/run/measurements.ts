import type { Cell, CostCurve, Gap, GroupName, MeasuredGroup, MemoryRow, PageReport } from "../results.js";
import type { Slice } from "./slice.js";

/** What a page has measured, filled as the run proceeds. */
export class Measurements {
  readonly #groups: MeasuredGroup[] = [];
  readonly #curves: CostCurve[] = [];
  readonly #memory: MemoryRow[] = [];
  readonly #gaps: Gap[] = [];

  addSlices(name: GroupName, slices: ReadonlyMap<string, readonly Slice[]>): void {
    this.#groups.push({ name, slices: [...slices].filter(([, ofLane]) => ofLane.length > 0) });
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

  all(): Pick<PageReport, "groups" | "curves" | "memory" | "gaps"> {
    return { groups: this.#groups, curves: this.#curves, memory: this.#memory, gaps: this.#gaps };
  }
}
