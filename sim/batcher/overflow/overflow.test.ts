import { expect, it } from "vitest";
import { COSTS } from "../model/costs.js";
import { type OverflowCase, simulateOverflow } from "./overflow.js";

const cost = COSTS.find(({ name }) => name === "2+6n");

function run(lane: Pick<OverflowCase, "load" | "preferred" | "fails">) {
  if (cost === undefined) throw new RangeError("expected the cost 2+6n, got none");
  return simulateOverflow({ ...lane, cost, roundTripMs: 60, seed: 1 });
}

it("a server answers in time what a device cannot, at 1.3 and 2 times what the device can answer", () => {
  for (const load of [1.3, 2]) {
    const alone = run({ load, preferred: null, fails: false });
    expect(alone.goodput).toBeLessThan(1.05 / load);
    expect(alone.fromServer).toBe(0);
    for (const preferred of ["device", "server"] as const) {
      expect(run({ load, preferred, fails: false }).goodput).toBeGreaterThan(0.9);
    }
  }
});

it("a server that fails now and then never makes it worse than the device alone", () => {
  for (const load of [1.3, 2]) {
    const { goodput } = run({ load, preferred: null, fails: false });
    for (const preferred of ["device", "server"] as const) {
      expect(run({ load, preferred, fails: true }).goodput).toBeGreaterThan(goodput);
    }
  }
});
