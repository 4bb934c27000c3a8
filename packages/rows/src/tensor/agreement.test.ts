import { describe, expect, it } from "vitest";
import { type Agreement, disagreement } from "./agreement.js";
import type { Tensor } from "./tensor.js";

const floats = (...values: number[]): Tensor => ({
  type: "float32",
  dims: [values.length],
  data: Float32Array.from(values),
});
const integers = (...values: number[]): Tensor => ({
  type: "int32",
  dims: [values.length],
  data: Int32Array.from(values),
});

function agree(expected: Tensor, got: Tensor, agreement?: Agreement): boolean {
  return disagreement({ y: expected }, { y: got }, agreement) === null;
}

describe("answers of two ways to run", () => {
  it("agree up to a thousandth of an element or of the mean magnitude", () => {
    expect(agree(floats(1, 100, -50), floats(1.04, 100.04, -50.04))).toBe(true);
    expect(agree(floats(1, 100, -50), floats(1.06, 100, -50))).toBe(false);
  });

  it("disagree if each element is off by a hundredth", () => {
    expect(agree(floats(1, 100, -50), floats(1.01, 101, -50.5))).toBe(false);
  });

  it("agree up to a few rounding steps of 1, which remain in numbers near 0", () => {
    expect(agree(floats(0, 8e-7), floats(2.1e-7, 8e-7))).toBe(true);
    expect(agree(floats(0, 8e-7), floats(1e-6, 8e-7))).toBe(false);
    expect(agree(floats(0, 8e-7), floats(2.1e-7, 8e-7), { absolute: 0 })).toBe(false);
  });

  it("agree within another tolerance if one is given", () => {
    const within = (relative?: number, absolute?: number) =>
      agree(floats(1, 2), floats(1.04, 2.04), { relative, absolute });
    expect([within(0.05, 0), within(0.02, 0), within(undefined, 0)]).toEqual([true, false, false]);
    expect([within(undefined, 0.05), within(0, 0.05), within(undefined, 0.03)]).toEqual([true, true, false]);
    expect(agree(integers(1), integers(2), { relative: 2, absolute: 2 })).toBe(false);
  });

  it("agree on NaN and infinities only if both have them", () => {
    expect(agree(floats(Number.NaN, Infinity, 1), floats(Number.NaN, Infinity, 1))).toBe(true);
    expect(agree(floats(1, 1), floats(Number.NaN, 1))).toBe(false);
    expect(agree(floats(Infinity, 1), floats(-Infinity, 1))).toBe(false);
    expect(agree(floats(Infinity, 1), floats(1, 1))).toBe(false);
  });

  it("agree on integers only if they are equal", () => {
    expect(agree(integers(1000, 2), integers(1000, 2))).toBe(true);
    expect(agree(integers(1000, 2), integers(1001, 2))).toBe(false);
  });

  it("agree on many integers if one in a hundred differs, where rounding decides between close scores", () => {
    const classes = (flipped: number) =>
      integers(...Array.from({ length: 200 }, (_, pixel) => (pixel < flipped ? 1 : 0)));
    expect(agree(classes(0), classes(2))).toBe(true);
    expect(agree(classes(0), classes(3))).toBe(false);
  });

  it("disagree if an output is missing, or has other dims or another type", () => {
    expect(disagreement({ y: floats(1) }, {})).toBe("y");
    expect(agree(floats(1, 2), { ...floats(1, 2), dims: [2, 1] })).toBe(false);
    expect(agree(floats(1, 2), integers(1, 2))).toBe(false);
  });
});
