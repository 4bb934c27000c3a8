/** How many reports figures may look back on: about ten seconds. A page may stay open for days, so no more are kept. */
export const KEPT_REPORTS = 20;

/** Adds a report, and drops those that no figure looks back on. */
export function withReport<Figures>(history: readonly Figures[], report: Figures): readonly Figures[] {
  return [...history.slice(1 - KEPT_REPORTS), report];
}
