import { describe, expect, it } from "vitest";
import { figure, percent, withInterval } from "../runner/print/numbers.js";
import { backendsFor, budgetOf, PLANS } from "../runner/plans.js";
import { judge } from "../runner/results/targets.js";
import type { Ratio } from "../src/results.js";

function ratio(lane: string, load: string, low: number, value: number, high: number): Ratio {
  const estimate = { value, interval: { low, high } };
  const cell = {
    model: "mlp-tiny",
    backend: "wasm" as const,
    site: "isolated" as const,
    load,
    lane,
    adapter: null,
    over: "off",
  };
  return { ...cell, throughput: estimate, p50: estimate, p99: null, firstAnswer: null, pages: 1, rounds: 5 };
}

const NOTHING = { ratios: [], micro: [], rows: [], starts: [] };

describe("figures", () => {
  it("have about three digits", () => {
    expect([308_123, 4567, 12.34, 1.234, 0.03123, 0].map(figure)).toEqual([
      "308,000",
      "4,570",
      "12.3",
      "1.23",
      "0.0312",
      "0",
    ]);
  });

  it("are a dash if there is no value", () => {
    expect(figure(null)).toBe("–");
    expect(figure(Number.NaN)).toBe("–");
    expect(percent(null)).toBe("–");
    expect(withInterval(null, "×")).toBe("–");
  });

  it("include their interval", () => {
    expect(withInterval({ value: 15.21, interval: { low: 14.8, high: 15.9 } }, "×")).toBe("15.2× (14.8 to 15.9)");
  });
});

describe("targets", () => {
  it("are met or missed by the median and report if the interval is not conclusive", () => {
    const verdicts = judge({
      ...NOTHING,
      ratios: [
        ratio("frame", "closed-256", 16, 18, 20),
        ratio("idle", "closed-256", 13, 14, 16),
        ratio("frame", "closed-1", 1, 1.05, 1.2),
      ],
    });
    expect(verdicts.map(({ what, isMet, isClear }) => [what, isMet, isClear])).toEqual([
      ["mlp-tiny/wasm/isolated/frame", true, true],
      ["mlp-tiny/wasm/isolated/idle", false, false],
      ["mlp-tiny/wasm/isolated/frame", true, false],
    ]);
  });

  it("have no verdict without results", () => {
    expect(judge(NOTHING)).toEqual([]);
  });
});

describe("the plan of the runner", () => {
  it("opens no browser for a backend that the text excludes", () => {
    expect(backendsFor("mlp-tiny/wasm/closed-1/", ["wasm", "webgpu"])).toEqual(["wasm"]);
    expect(backendsFor("closed-1", ["wasm", "webgpu"])).toEqual(["wasm", "webgpu"]);
  });

  it("divides the rest of a quick run's minute between the backends", () => {
    const startedMs = 6000;
    const wasmMs = budgetOf(PLANS.quick, "wasm", startedMs, 2);
    expect(startedMs + wasmMs).toBeLessThan(40_000);
    expect(startedMs + wasmMs + budgetOf(PLANS.quick, "webgpu", startedMs + wasmMs, 1)).toBeLessThan(60_000);
  });
});
