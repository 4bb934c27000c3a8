import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Conditions } from "../src/comparison/conditions.js";
import { decodeResult, encodeResult, type SharedResult } from "../src/comparison/shared-result.js";
import { decide } from "../src/measure/outcome.js";
import { rounded } from "../src/measure/rounded.js";
import { describeOutcome, headlineOf } from "../src/measure/verdict.js";
import { comparisonOf } from "./support/comparisons.js";

const CONDITIONS: Conditions = {
  model: "digits.onnx",
  release: "frame",
  pressureMs: 4,
  provider: "webgpu",
  adapter: "apple metal-3",
  cores: 8,
};

function shared(change: Partial<Conditions> = {}): SharedResult {
  const {
    framePeriodMs: _period,
    batched: _batched,
    single: _single,
    slices: _slices,
    race: _race,
    ...outcome
  } = comparisonOf(
    { rates: [612, 600, 620], mediansMs: [5, 5.2, 5.1], isCutOff: true },
    { rates: [101, 100, 99], mediansMs: [12, 12.1, 12] },
    { cost: { size: 16, times: 4 } },
  );
  return { outcome, conditions: { ...CONDITIONS, ...change }, day: "2026-11-22" };
}

const LINK = encodeResult(shared());

describe("a result in a link", () => {
  it("comes back with the same conditions, figures of three digits, and the same verdict", () => {
    const back = decodeResult(LINK);
    expect(back).toMatchObject({ conditions: CONDITIONS, day: "2026-11-22" });
    expect(back?.outcome).toMatchObject({ callers: 64, pace: "continuous", cost: { size: 16, times: 4 } });
    expect(back?.outcome.gains.median.batched).toEqual({ value: 5.1, isAtLeast: true });
    const [before, after] = [shared().outcome, back?.outcome ?? shared().outcome];
    expect(headlineOf(after, decide(after))).toEqual(headlineOf(before, decide(before)));
  });

  it("comes back as it was, with every word that the page shows of it", () => {
    const rate = fc.double({ min: 1, max: 1e5, noNaN: true });
    const lane = fc.record({ rates: fc.tuple(rate, rate, rate), mediansMs: fc.tuple(rate, rate, rate) });
    fc.assert(
      fc.property(lane, lane, fc.option(fc.double({ min: 0, max: 3, noNaN: true })), (batched, single, noise) => {
        const { race: _race, ...comparison } = comparisonOf(batched, single, { noise: noise && rounded(noise) });
        const back = decodeResult(encodeResult({ ...shared(), outcome: comparison }))?.outcome;
        expect(back?.gains).toEqual(comparison.gains);
        expect(back && decide(back)).toEqual(decide(comparison));
        expect(back && describeOutcome(back)).toEqual(describeOutcome(comparison));
        expect(back?.noise).toBe(comparison.noise);
      }),
    );
  });

  it("is short and needs no escapes in a URL", () => {
    expect(LINK.length).toBeLessThan(250);
    expect(new URLSearchParams({ result: encodeResult(shared({ adapter: null })) }).toString()).not.toContain("%");
  });

  it("has no markup and no separator in its names", () => {
    expect(decodeResult(encodeResult(shared({ model: '<img src="_">' })))?.conditions.model).toBe("-img src-----");
  });
});

describe("a link that anyone may have written is rejected", () => {
  const change = (index: number, value: string): string => LINK.split("_").with(index, value).join("_");

  it.each([
    ["an unknown version", change(0, "2")],
    ["an impossible day", change(1, "2026-13-01")],
    ["markup as a name", change(2, "<b>")],
    ["a name that is too long", change(2, "x".repeat(61))],
    ["no callers", change(3, "0")],
    ["a lone caller", change(3, "1")],
    ["a fraction of a caller", change(3, "1.5")],
    ["an unknown pace", change(4, "constructor")],
    ["an unknown backend", change(8, "__proto__")],
    ["a negative rate", change(16, "-5")],
    ["an infinite rate", change(16, "Infinity")],
    ["a number in another notation", change(16, "0x10")],
    ["a factor beside its figures", change(18, "900")],
    ["an interval beside its factor", change(19, "900")],
    ["a missing field", LINK.slice(0, LINK.lastIndexOf("_"))],
    ["another field", `${LINK}_0`],
    ["a text that is too long", LINK + "0".repeat(600)],
    ["nothing", ""],
  ])("with %s", (_, text) => {
    expect(decodeResult(text)).toBeNull();
  });

  it("or read without an exception, whatever it contains", () => {
    const damaged = fc.tuple(fc.nat(60), fc.string()).map(([index, text]) => {
      const fields = LINK.split("_");
      fields[index % fields.length] = text;
      return fields.join("_");
    });
    fc.assert(
      fc.property(fc.oneof(fc.string(), damaged), (text) => {
        const back = decodeResult(text);
        if (back !== null) expect(decodeResult(encodeResult(back))).not.toBeNull();
      }),
    );
  });
});
