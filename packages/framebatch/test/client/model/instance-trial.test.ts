import { describe, expect, it } from "vitest";
import { InstanceTrial, type InstanceStep } from "../../../src/client/model/instance-trial.js";
import { batchesOf, type Traffic } from "../../support/worker-traffic.js";

/** Applies traffic to a trial, with a second worker that takes 500 ms to start. Returns its steps and their times. */
function stepsOf(traffic: Traffic, untilMs = 30_000) {
  const trial = new InstanceTrial();
  let readyAtMs = Infinity;
  let workers = 1;
  const steps: { readonly step: InstanceStep; readonly atMs: number }[] = [];
  const take = (step: InstanceStep | null, atMs: number): void => {
    if (step === null) return;
    steps.push({ step, atMs });
    if (step === "start") readyAtMs = atMs + 500;
    else workers = step === "use two" || step === "keep" ? 2 : 1;
  };
  for (const batch of batchesOf(traffic, () => workers, 0, untilMs)) {
    take(trial.ran(batch), batch.completedAtMs);
    if (batch.completedAtMs < readyAtMs) continue;
    readyAtMs = Infinity;
    take(trial.started(batch.completedAtMs), batch.completedAtMs);
  }
  return steps;
}

function namesOf(traffic: Traffic, untilMs?: number): InstanceStep[] {
  return stepsOf(traffic, untilMs).map(({ step }) => step);
}

/** Runs take `slowdown` times as long while two workers compute. */
function slowedBy(slowdown: number, runMs = 10): Traffic["runMs"] {
  return (workers) => (workers === 2 ? slowdown * runMs : runMs);
}

describe("the trial of a second worker", () => {
  it("begins once one worker has been busy with several requests for three seconds", () => {
    for (const traffic of [
      { runMs: slowedBy(1) },
      { runMs: slowedBy(1), pauseMs: 1 },
      { runMs: slowedBy(1), rows: 1 },
    ]) {
      const [first] = stepsOf(traffic);
      expect(first?.step).toBe("start");
      expect(first?.atMs).toBeGreaterThanOrEqual(3000);
      expect(first?.atMs).toBeLessThan(3100);
    }
  });

  it.each([
    ["there is a lone caller", { runMs: slowedBy(1), rows: 1, pauseMs: 0.1 }],
    ["the worker pauses after each batch", { runMs: slowedBy(1), pauseMs: 5 }],
    ["messages take a third of each run", { runMs: slowedBy(1), inferenceShare: 0.66 }],
  ] as const)("does not begin if %s", (_, traffic) => {
    expect(namesOf(traffic)).toEqual([]);
  });

  it("runs five pairs of phases, on two workers and on one", () => {
    const pairs = Array.from({ length: 5 }, () => ["use two", "use one"]).flat();
    expect(namesOf({ runMs: slowedBy(1.2) })).toEqual(["start", ...pairs, "keep"]);
  });

  it.each([
    [1, "keep"],
    [1.5, "keep"],
    [1.75, "end"],
    [2, "end"],
    [3, "end"],
  ])("judges runs that take %d times as long on two workers: %s", (slowdown, verdict) => {
    expect(namesOf({ runMs: slowedBy(slowdown) }).at(-1)).toBe(verdict);
    expect(namesOf({ runMs: slowedBy(slowdown, 120) }).at(-1)).toBe(verdict);
  });

  it("is not misled by runs that become slower or faster meanwhile", () => {
    for (const drift of [1 / 3, 3]) {
      const change = (nowMs: number): number => drift ** Math.min(1, nowMs / 8000);
      const runMs = (slowdown: number) => (workers: number, nowMs: number) =>
        slowedBy(slowdown)(workers, nowMs) * change(nowMs);
      expect(namesOf({ runMs: runMs(1.5) }).at(-1)).toBe("keep");
      expect(namesOf({ runMs: runMs(1.9) }).at(-1)).toBe("end");
    }
  });

  it("ends the second worker after ten pairs if one worker is no longer busy", () => {
    const trial = new InstanceTrial();
    trial.started(0);
    let workers = 2;
    const steps: InstanceStep[] = [];
    const traffic = { runMs: slowedBy(1), inferenceShare: 0.5 };
    for (const batch of batchesOf(traffic, () => workers, 0, 60_000)) {
      const step = trial.ran(batch);
      if (step === null) continue;
      steps.push(step);
      workers = step === "use two" ? 2 : 1;
    }
    expect(steps.filter((step) => step === "use one").length).toBe(10);
    expect(steps.at(-1)).toBe("end");
  });

  it("is made once", () => {
    expect(namesOf({ runMs: slowedBy(2) }, 300_000).filter((step) => step === "start")).toEqual(["start"]);
  });
});
