import { describe, expect, it } from "vitest";
import type { Lane } from "../src/lanes/lane.js";
import { closedLoop } from "../src/loads/closed-loop.js";
import { LOADS } from "../src/loads/all.js";
import type { BenchModel } from "../src/models.js";
import { planRun, type Subset } from "../src/run/plan.js";

const LANE_NAMES = ["frame", "idle", "off", "window", "ort-main", "dataloader", "window-10", "pacer", "limit"];
const lane = (name: string): Lane => ({ name, open: () => Promise.reject(new Error("not opened in this test")) });
const model = (name: string): BenchModel => ({ name, url: "", inputs: [] });

function plan(only: string, subset: Subset = "full"): string[] {
  const models = [model("mlp-tiny"), model("digits")];
  const planned = planRun(models, [closedLoop(1), closedLoop(16)], [lane("frame"), lane("off")], {
    backend: "wasm",
    subset,
    only,
  });
  return planned.flatMap(({ model: { name }, groups }) =>
    groups.map(({ load, lanes }) => `${name} ${load.name} ${lanes.map((each) => each.name).join("+")}`),
  );
}

describe("the plan of a run", () => {
  it("has every model, load and lane by default", () => {
    expect(plan("")).toEqual([
      "mlp-tiny closed-1 frame+off",
      "mlp-tiny closed-16 frame+off",
      "digits closed-1 frame+off",
      "digits closed-16 frame+off",
    ]);
  });

  it("keeps the cells whose name contains a text, across its parts", () => {
    expect(plan("digits/wasm/closed-16")).toEqual(["digits closed-16 frame+off"]);
    expect(plan("closed-1/frame")).toEqual(["mlp-tiny closed-1 frame", "digits closed-1 frame"]);
  });

  it("is empty where nothing fits", () => {
    expect(plan("micro/enqueue")).toEqual([]);
  });

  it("has every model, load and lane in its balanced subset, but not every combination", () => {
    const models = Array.from({ length: 6 }, (_, index) => model(`model-${index}`));
    const planned = planRun(models, LOADS, LANE_NAMES.map(lane), { backend: "wasm", subset: "balanced", only: "" });
    const cells = planned.flatMap(({ model: { name }, groups }) =>
      groups.flatMap(({ load, lanes }) => lanes.map((each) => ({ model: name, load: load.name, lane: each.name }))),
    );
    expect(new Set(cells.map((cell) => cell.model)).size).toBe(6);
    expect(new Set(cells.map((cell) => cell.load)).size).toBe(LOADS.length);
    expect(new Set(cells.map((cell) => cell.lane))).toEqual(new Set(LANE_NAMES));
    expect(cells.length).toBeLessThan(6 * LOADS.length * LANE_NAMES.length * 0.5);
  });
});
