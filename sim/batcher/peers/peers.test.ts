import { describe, expect, it } from "vitest";
import { BASELINES } from "../baselines/index.js";
import { allCells, type Cell } from "../model/cells.js";
import type { Policy } from "../policy.js";
import type { Row } from "../run/row.js";
import { runCell } from "../run/run-cell.js";
import { recorded, type RecordedOutcome } from "./recorded.js";
import { traceOf } from "./trace.js";

function cellOf(cost: string, arrivals: string): Cell {
  const cell = allCells().find((each) => each.cost.name === cost && each.arrivals === arrivals);
  if (cell === undefined) throw new Error(`expected a cell, got ${cost} ${arrivals}`);
  return cell;
}

/** The policy, with a record of how each request ends. */
function recording(policy: Policy, outcomes: RecordedOutcome[]): Policy {
  return (world) => {
    const running = policy(world);
    const settled = (id: number, isRefused: boolean): void => {
      outcomes[id] = { settledMs: world.clock.now(), isRefused };
    };
    return {
      enqueue(item, sink) {
        outcomes[item.id] = { settledMs: null, isRefused: false };
        running.enqueue(item, {
          resolve(...answer) {
            settled(item.id, false);
            sink.resolve(...answer);
          },
          reject(error) {
            settled(item.id, true);
            sink.reject(error);
          },
        });
      },
      stop: () => running.stop(),
    };
  };
}

function figures({ throughputPerSec, meanMs, p50Ms, p99Ms, goodShare, refused }: Row) {
  return { throughputPerSec, meanMs, p50Ms, p99Ms, goodShare, refused };
}

describe("recorded outcomes", () => {
  it.each([
    ["greedy", "9+1n", "poisson 70%"],
    ["greedy", "9+1n", "closed 64"],
    ["batched", "9+1n", "closed 256"],
    ["bentoml", "9+1n", "overload 2x"],
  ])("have the figures of the policy that was recorded: %s, %s, %s", (name, cost, arrivals) => {
    const [cell, policy] = [cellOf(cost, arrivals), BASELINES[name]];
    if (policy === undefined) throw new Error(`expected a baseline, got ${name}`);
    const outcomes: RecordedOutcome[] = [];
    const original = runCell(cell, 0, 1, name, recording(policy, outcomes));
    expect(figures(runCell(cell, 0, 1, name, recorded(outcomes)))).toEqual(figures(original));
    expect(original.refused > 0).toBe(arrivals === "overload 2x");
  });

  it("reject a trace with fewer outcomes than requests", () => {
    expect(() => runCell(cellOf("9+1n", "closed 4"), 0, 1, "short", recorded([]))).toThrow("outcome of request 0");
  });
});

describe("a trace", () => {
  it("has the callers of a closed loop once", () => {
    const trace = traceOf(cellOf("9+1n", "closed 16"), 1);
    expect(trace).toMatchObject({ isClosed: true, arrivalsMs: Array(16).fill(0), objectiveMs: null });
    expect([trace.runMs[0], trace.runMs[63], trace.runMs.length]).toEqual([10, 73, 64]);
  });

  it("has every arrival of an open pattern, in order, and the objective", () => {
    const { isClosed, arrivalsMs, untilMs, objectiveMs } = traceOf(cellOf("9+1n", "overload 1.3x"), 1);
    expect(isClosed).toBe(false);
    expect(arrivalsMs.length).toBeGreaterThan(10_000);
    expect(arrivalsMs).toEqual([...arrivalsMs].sort((a, b) => a - b));
    expect(arrivalsMs.at(-1)).toBeLessThanOrEqual(untilMs);
    expect(objectiveMs).toBe(200);
  });
});
