import type { FirstAnswer } from "../../src/ways/first-answer-protocol.js";

/** A lane that is this many times as late as the soonest one is not asked for a first answer again. */
const FAR_LATER = 3;

/** A way that takes this many times as long for one call as the fastest one is not the best one with eight callers. */
const FAR_SLOWER = 20;

/** The first answers of each lane, in order of the visits. */
export type AnswersByLane = ReadonlyMap<string, readonly FirstAnswer[]>;

/** Returns the lanes that may still have the soonest first answer: a lane without an answer has none in time. */
export function mayBeSoonest(answers: AnswersByLane): string[] {
  return within(answers, ({ firstMs }) => firstMs, FAR_LATER);
}

/** Returns the lanes that may still be the best one under a load. */
export function mayBeBest(answers: AnswersByLane): string[] {
  return within(answers, ({ callMs }) => callMs, FAR_SLOWER);
}

function within(answers: AnswersByLane, of: (answer: FirstAnswer) => number, times: number): string[] {
  const fastest = [...answers].map(([lane, all]) => [lane, Math.min(...all.map(of))] as const);
  const least = Math.min(...fastest.map(([, value]) => value));
  return fastest.filter(([, value]) => Number.isFinite(value) && value <= times * least).map(([lane]) => lane);
}
