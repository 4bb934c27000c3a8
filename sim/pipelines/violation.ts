/** The invariants of every run of a pipeline. */
export const PIPELINE_INVARIANTS = {
  "P-1": "every run and every stream settles",
  "P-2": "a result is that of plain code: no part is lost, repeated or out of order",
  "P-3": "a run is rejected for a reason of its own only, which names the right stage",
  "P-4": "no part is passed to a stage after its run has ended, and none twice",
  "P-5": "when a run ends, all of its parts are aborted and all of its sources are closed",
  "P-6": "the parts and items of streams never exceed their bounds",
  "P-7": "each stage gets the priority of the run, and the time that is left of its timeout",
  "P-8": "the statistics add up and match what was observed",
  "P-9": "when no run is open, nothing is queued, no timer is set and no slot is taken",
  "P-10": "a scenario ends",
  "P-11": "the time of each stage lies within its run",
  "P-12": "a source is asked for one item at a time, and closed once, not inside its own next, if it has not ended",
  determinism: "the same seed gives the same trace",
} as const;

export type PipelineInvariant = keyof typeof PIPELINE_INVARIANTS;

/** An invariant that does not hold. */
export class PipelineViolation extends Error {
  constructor(invariant: PipelineInvariant, message: string) {
    super(`${invariant} (${PIPELINE_INVARIANTS[invariant]}): ${message}`);
  }
}

/** Throws a `PipelineViolation` unless the condition holds. Builds the message only then. */
export function holds(condition: boolean, invariant: PipelineInvariant, message: () => string): void {
  if (!condition) throw new PipelineViolation(invariant, message());
}
