import type { FirstAnswer } from "../../src/ways/first-answer-protocol.js";
import { drivenSlice, type Slice } from "../../src/run/slice.js";
import { shuffled, type Random } from "../../src/statistics/random.js";
import { mayBeSoonest } from "./race.js";

/** The first answers of a visit, by lane, and why lanes have none. */
export interface FirstAnswers {
  readonly answers: ReadonlyMap<string, readonly FirstAnswer[]>;
  readonly failures: ReadonlyMap<string, string>;
}

/** Asks each lane `count` times on a new page, in a new random order each round. A lane that is far later is asked once. */
export async function collectFirstAnswers(
  lanes: readonly string[],
  count: number,
  random: Random,
  ask: (lane: string) => Promise<FirstAnswer>,
): Promise<FirstAnswers> {
  const answers = new Map<string, FirstAnswer[]>(lanes.map((lane) => [lane, []]));
  const failures = new Map<string, string>();
  for (let round = 0; round < count; round++) {
    const left = round === 0 ? lanes : mayBeSoonest(answers);
    for (const lane of shuffled(left, random)) {
      try {
        answers.get(lane)?.push(await ask(lane));
      } catch (error) {
        failures.set(lane, error instanceof Error ? error.message : String(error));
        answers.delete(lane);
      }
    }
  }
  return { answers, failures };
}

/** Returns a first answer as a slice, so that it is compared as all figures are. */
export function sliceOf({ firstMs }: FirstAnswer): Slice {
  return { ...drivenSlice({ predictions: 1, elapsedMs: firstMs, batchSize: 1 }), firstAnswerMs: firstMs };
}
