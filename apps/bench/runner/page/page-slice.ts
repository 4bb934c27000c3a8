import type { VisitSlice } from "../../src/page/page-visit.js";

/** What one page tells of a lane under a load. */
export interface PageSlice extends VisitSlice {
  /** From each keystroke to the frame that shows it, in ms. */
  readonly keyDelaysMs: readonly number[];
  /** Memory of the page's process after the load, in bytes; `NaN` if unknown. */
  readonly memoryBytes: number;
}
