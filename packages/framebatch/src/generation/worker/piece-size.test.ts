import { expect, it } from "vitest";
import { PieceSize } from "./piece-size.js";

/** Runs pieces of what takes `tokenMs` a token, and returns the last of them. */
function settledOn(pieces: PieceSize, tokenMs: number): number {
  for (let run = 0; run < 20; run++) pieces.took(pieces.tokens, pieces.tokens * tokenMs);
  return pieces.tokens;
}

it("takes about as many tokens as one frame allows, or one step of the others", () => {
  const pieces = new PieceSize();
  expect(settledOn(pieces, 0.1) * 0.1).toBeLessThanOrEqual(16);
  expect(pieces.tokens).toBeGreaterThanOrEqual(80);
  expect(settledOn(pieces, 2)).toBe(8);
  pieces.stepped(60);
  expect(settledOn(pieces, 2)).toBeGreaterThanOrEqual(15);
  expect(pieces.tokens * 2).toBeLessThanOrEqual(60);
  expect(settledOn(pieces, 1000)).toBe(8);
});

it("grows as far as a step of the others lasts, although short pieces take little less than longer ones", () => {
  const pieces = new PieceSize();
  const msOf = (tokens: number) => 12 + 2 * tokens;
  for (let run = 0; run < 20; run++) pieces.took(pieces.tokens, msOf(pieces.tokens));
  expect(pieces.tokens).toBe(8);
  pieces.stepped(50);
  for (let run = 0; run < 20; run++) pieces.took(pieces.tokens, msOf(pieces.tokens));
  expect(pieces.tokens).toBe(12);
});

it("takes longer pieces while more texts wait for their first token than for the next one", () => {
  const pieces = new PieceSize();
  pieces.stepped(40);
  const alike = settledOn(pieces, 2);
  pieces.divide(9, 3);
  expect(settledOn(pieces, 2)).toBeGreaterThan(2 * alike);
  expect(pieces.tokens * 2).toBeLessThanOrEqual(120);
  pieces.divide(1, 11);
  expect(settledOn(pieces, 2) * 2).toBeLessThanOrEqual(40);
});

it("learns nothing of larger pieces from a short one, and is not made small by a long one", () => {
  const pieces = new PieceSize();
  pieces.took(3, 0.1);
  expect(pieces.tokens).toBe(32);
  pieces.took(500, 900);
  expect(pieces.tokens).toBe(32);
});
