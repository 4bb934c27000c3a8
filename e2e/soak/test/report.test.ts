import { expect, it } from "vitest";
import { NOTHING, judged } from "../kit/findings.js";
import { lineOf, toJson, type Verdict } from "../kit/report.js";

const CLEAN = { n: 10, answered: 9, excused: 1, failed: 0, lost: 0, wrong: 0, duplicated: 0, errors: { TIMED_OUT: 1 } };
const KEPT: Verdict = {
  ...NOTHING,
  ...judged(CLEAN),
  id: "P2",
  seconds: 61,
  slowdown: 1.24,
  faults: 41,
  recoverP95Ms: 1310,
};

it("prints one line for a promise that is kept", () => {
  expect(lineOf(KEPT, 7)).toBe(
    "P2 PASS lost=0 wrong=0 dup=0 n=10 faults=41 leak=n/a recover_p95=1.31s seed=7 took=61s slowdown=1.2",
  );
});

it("prints one more line for each breach", () => {
  const broken: Verdict = { ...KEPT, ...judged({ ...CLEAN, answered: 7, lost: 2 }) };
  expect(lineOf(broken, 7)).toMatch(/^P2 FAIL lost=2 .*\n {3}expected at most 0 requests lost, got 2$/);
});

it("reports a breach for each of a lost, a wrong, a duplicated and a failed request", () => {
  for (const fault of [{ lost: 1 }, { wrong: 1 }, { duplicated: 1 }, { failed: 1 }]) {
    expect(judged({ ...CLEAN, ...fault }).breaches).not.toEqual([]);
  }
});

it("reports a breach if the outcomes do not add up to the number of requests", () => {
  expect(judged({ ...CLEAN, answered: 8 }).breaches).toEqual([expect.stringContaining("9 outcomes of 10 requests")]);
});

it("writes figures that were not measured as null in JSON", () => {
  const [promise] = JSON.parse(toJson([{ ...KEPT, figures: { p99Ms: 12 } }], 7)).promises;
  expect(promise).toMatchObject({ id: "P2", pass: true, n: 10, leakedBytesPerRequest: null, p99Ms: 12 });
});

it("fails the promise if a speed limit is not met, unless the machine was busy", () => {
  const slow: Verdict = { ...KEPT, slow: ["expected at most 2000 ms to recover, got 2300"] };
  expect(lineOf(slow, 7)).toMatch(/^P2 FAIL .*\n {3}expected at most 2000 ms to recover, got 2300$/);
  expect(lineOf({ ...slow, slowdown: 3.4 }, 7)).toMatch(
    /^P2 PASS .*\n {3}the machine was busy \(work took 3\.4 times as long\): expected at most 2000 ms/,
  );
});

it("fails the promise if a request is lost, even if the machine was busy", () => {
  const broken: Verdict = { ...KEPT, ...judged({ ...CLEAN, answered: 8, lost: 1 }), slowdown: 9 };
  expect(lineOf(broken, 7)).toMatch(/^P2 FAIL lost=1/);
});
