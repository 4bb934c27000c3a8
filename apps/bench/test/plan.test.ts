import { describe, expect, it } from "vitest";
import type { Lane } from "../src/lanes/lane.js";
import { closedLoop } from "../src/loads/closed-loop.js";
import type { BenchModel } from "../src/models.js";
import { planRun } from "../src/run/plan.js";

const lane = (name: string): Lane => ({ name, open: () => Promise.reject(new Error("not opened in this test")) });
const model = (name: string): BenchModel => ({ name, url: "", input: "x", dims: [1] });

function plan(only: string): string[] {
  const models = [model("mlp-tiny"), model("digits")];
  const planned = planRun(models, [closedLoop(1), closedLoop(16)], [lane("frame"), lane("off")], "wasm", only);
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
});
