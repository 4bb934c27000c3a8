import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { chooseToken } from "../choose-token.js";
import { type Choose, ownChoice } from "./open-text.js";

const TEXT = { promptLength: 2, sample: null, repetitionPenalty: 1 } as const;
const TOKENS = [4, 5, 6];
const SCORES = [0, 3, -1, 2, 1];

/** A function that returns what its type does not allow. */
function returning(value: unknown): Choose {
  // @ts-expect-error: the value may be anything
  return () => value;
}

const chosenBy = (choose: Choose, scores: readonly number[] = SCORES, text = {}) =>
  ownChoice(choose, Float32Array.from(scores), { ...TEXT, ...text }, TOKENS);

describe("ownChoice", () => {
  it("calls the function with the scores and the text so far, and takes the token that it returns", () => {
    const calls: unknown[] = [];
    const token = chosenBy((scores, context) => {
      calls.push([...scores], context);
      return 4;
    });
    expect(token).toBe(4);
    expect(calls).toEqual([SCORES, { tokens: TOKENS, promptLength: 2, position: 1 }]);
  });

  it("leaves the choice to the rules of the text, among the scores as the function leaves them", () => {
    const forbid = (scores: Float32Array): void => void (scores[1] = -Infinity);
    expect(chosenBy(() => undefined)).toBe(1);
    expect(chosenBy(forbid)).toBe(3);
    const sample = { temperature: 1, topK: Infinity, topP: 1, seed: 3 };
    const left = SCORES.map((score, token) => (token === 1 ? -Infinity : score));
    for (let seed = 0; seed < 50; seed++) {
      const text = { sample: { ...sample, seed }, repetitionPenalty: 1.5 };
      expect(chosenBy(forbid, SCORES, text)).toBe(chooseToken([...left], { ...TEXT, ...text }, TOKENS, 1));
    }
  });

  it("gives it copies", () => {
    const [given, tokens] = [Float32Array.from(SCORES), [...TOKENS]];
    const choose: Choose = (scores, context) => {
      structuredClone(scores, { transfer: [scores.buffer] });
      Reflect.set(context.tokens, 0, 99);
      return 2;
    };
    expect(ownChoice(choose, given, TEXT, tokens)).toBe(2);
    expect([...given]).toEqual(SCORES);
    expect(tokens).toEqual(TOKENS);
  });

  it.each<[unknown, string]>([
    [5, "expected a whole number from 0 to 4, or nothing, got number 5; return a token of the model"],
    [-1, "got number -1"],
    [1.5, "got number 1.5"],
    [NaN, "got number NaN"],
    ["1", 'got string "1"'],
    [null, "got null"],
  ])("refuses what is no token: %o", (value, message) => {
    expect(failureOf(returning(value))).toMatchObject({
      code: "HANDLER_FAILED",
      message: expect.stringContaining(message),
      details: { stage: "choose" },
    });
  });

  it("refuses a promise, whose rejection is nobody's", () => {
    const { message } = failureOf(returning(Promise.reject(new Error("late"))));
    expect(message).toContain("or nothing, got a promise; load what it needs before serve is called");
  });

  it("says what the function throws, and that it leaves no token", () => {
    const thrown = new Error("on purpose");
    const throwing = () => {
      throw thrown;
    };
    expect(failureOf(throwing)).toMatchObject({ message: "choose: on purpose", cause: thrown });
    const { message } = failureOf((scores) => void scores.fill(-Infinity));
    expect(message).toBe("choose: expected a score above -Infinity to be left, got none; leave one, or return a token");
  });

  it("does not call it for scores that are no numbers, which are no fault of its", () => {
    expect(chosenBy(() => 1, [NaN, NaN])).toBeNull();
  });
});

function failureOf(choose: Choose): FramebatchError {
  try {
    chosenBy(choose);
  } catch (error) {
    if (error instanceof FramebatchError) return error;
  }
  throw new Error("expected a FramebatchError");
}
