import type { Batch } from "@framebatch/batcher/engine/engine.js";
import type { FuzzRequest } from "../fuzz-request.js";
import type { Scenario } from "../scenario.js";
import { hold } from "./violation.js";

/** The members of a failed batch while the search for the culprit runs. */
export interface Suspects {
  readonly members: readonly FuzzRequest[];
  /** The number of runs in addition to the batch's own. */
  extraRuns: number;
}

/** I-13: an extra run is only for a batch that failed and never for a member that succeeded, and extra runs are few. */
export function checkRetry({ items }: Batch<FuzzRequest>, scenario: Scenario): void {
  for (const item of items) {
    hold(item.suspects !== null, "I-13", () => `request ${item.id} was run again, though its batch did not fail`);
    hold(!item.hasSucceeded, "I-13", () => `request ${item.id} was run again after it had succeeded`);
  }
  const suspects = items[0]?.suspects;
  if (!suspects) return;
  suspects.extraRuns++;
  const { extraRuns, members } = suspects;
  const most = mostExtraRuns(suspects, scenario);
  hold(
    extraRuns <= most,
    "I-13",
    () => `${extraRuns} further runs for a batch of ${members.length}, where ${most} are enough`,
  );
}

function mostExtraRuns({ members }: Suspects, { engine, throwRate }: Scenario): number {
  const depth = Math.ceil(Math.log2(members.length)) + 2;
  const culprits = members.filter((member) => member.isPoison).length;
  const isOnlyPoison = engine.failRate + engine.fatalRate + engine.wrongLengthRate + throwRate === 0;
  return culprits === 1 && isOnlyPoison ? depth : 3 * depth + members.length;
}

/**
 * Records a failed run. Returns the requests that may be rejected for it: a request that ran alone, or every suspect if
 * no part of the batch can succeed.
 */
export function accuse({ items }: Batch<FuzzRequest>, isFatal: boolean): readonly FuzzRequest[] {
  const suspects = items[0]?.suspects ?? { members: items, extraRuns: 0 };
  for (const item of items) item.suspects = suspects;
  if (isFatal) return suspects.members;
  return items.length === 1 ? items : [];
}
