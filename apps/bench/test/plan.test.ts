import { describe, expect, it } from "vitest";
import { PLANS } from "../runner/plans.js";
import { LANES } from "../src/lanes/all.js";
import type { Lane } from "../src/lanes/lane.js";
import { closedLoop } from "../src/loads/closed-loop.js";
import { LOADS } from "../src/loads/all.js";
import { MODELS, type BenchModel } from "../src/models.js";
import { runMs } from "../src/run/estimate.js";
import { planRun, type Subset } from "../src/run/plan.js";

const lane = (name: string): Lane => ({ name, open: () => Promise.reject(new Error("not opened in this test")) });
const model = (name: string): BenchModel => ({ name, url: "", inputs: [] });

function plan(only: string, subset: Subset = "full"): string[] {
  const models = [model("mlp-tiny"), model("digits")];
  const planned = planRun(models, [closedLoop(1), closedLoop(16)], [lane("frame"), lane("off")], {
    backend: "wasm",
    isSoftware: false,
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

  it("keeps the cells whose name contains a text, even across its parts", () => {
    expect(plan("digits/wasm/closed-16")).toEqual(["digits closed-16 frame+off"]);
    expect(plan("closed-1/frame")).toEqual(["mlp-tiny closed-1 frame", "digits closed-1 frame"]);
  });

  it("is empty if no cell matches", () => {
    expect(plan("micro/enqueue")).toEqual([]);
  });

  it("has closed loops and isolated bursts of every model for the peers, which a text can filter", () => {
    const planned = (only: string) =>
      planRun(MODELS, LOADS, [lane("frame")], { backend: "wasm", isSoftware: false, subset: "peers", only });
    const loads = ["closed-1", "closed-4", "closed-16", "closed-64", "closed-256"];
    const bursts = ["isolated-4", "isolated-16", "isolated-64"];
    for (const { groups } of planned("")) expect(groups.map(({ load }) => load.name)).toEqual([...loads, ...bursts]);
    expect(planned("")).toHaveLength(MODELS.length);
    expect(planned("digits").flatMap(({ groups }) => groups)).toHaveLength(loads.length + bursts.length);
  });

  it("leaves out lanes that cannot run a model on the backend", () => {
    const fussy = {
      ...lane("fussy"),
      runs: ({ name }: BenchModel, backend: string) => name === "digits" && backend === "wasm",
    };
    const planned = planRun([model("digits"), model("cnn-28")], [closedLoop(1)], [lane("frame"), fussy], EVERYTHING);
    expect(planned.map(({ groups: [group] }) => group?.lanes.map(({ name }) => name))).toEqual([
      ["frame", "fussy"],
      ["frame"],
    ]);
  });
});

const EVERYTHING = { backend: "wasm", isSoftware: false, subset: "full", only: "" } as const;

describe.each([
  { backend: "wasm", isSoftware: false },
  { backend: "webgpu", isSoftware: true },
  { backend: "webgpu", isSoftware: false },
] as const)("the balanced subset on $backend, in software: $isSoftware", ({ backend, isSoftware }) => {
  const { sliceMs, rounds, lanes: wanted, budgetMs } = PLANS.full;
  const lanes = LANES.filter(({ name }) => wanted.includes(name));
  const planned = planRun(MODELS, LOADS, lanes, { backend, isSoftware, subset: "balanced", only: "" });
  const cells = planned.flatMap(({ model: { name }, groups }) =>
    groups.flatMap((group) => group.lanes.map((each) => ({ model: name, load: group.load.name, lane: each.name }))),
  );

  it("has every model, every lane and every load except isolated bursts, but not every combination", () => {
    const runnable = lanes.filter(({ runs }) => MODELS.some((each) => runs?.(each, backend) ?? true));
    expect(new Set(cells.map((cell) => cell.model))).toEqual(new Set(MODELS.map(({ name }) => name)));
    expect(new Set(cells.map((cell) => cell.load))).toEqual(
      new Set(LOADS.map(({ name }) => name).filter((name) => !name.startsWith("isolated"))),
    );
    expect(new Set(cells.map((cell) => cell.lane))).toEqual(new Set(runnable.map(({ name }) => name)));
    expect(cells.length).toBeLessThan(MODELS.length * LOADS.length * LANES.length * 0.5);
  });

  it("fits into its time budget", () => {
    expect(runMs(planned, { backend, sliceMs, rounds })).toBeLessThan(budgetMs[backend]);
  });

  it("has an essential part that covers the figures of README.md for each model in a quarter of the time", () => {
    const { standard } = PLANS;
    const essential = planRun(MODELS, LOADS, lanes, { backend, isSoftware, subset: standard.subset, only: "" });
    expect(essential.map((each) => each.model)).toEqual(MODELS);
    for (const { groups } of essential) {
      expect(groups.map(({ load }) => load.name)).toContain("closed-1");
      expect(groups).toHaveLength(2);
      for (const group of groups) {
        const names = group.lanes.map(({ name }) => name);
        expect(names).toEqual(expect.arrayContaining(["frame", "idle", "off", "dataloader"]));
      }
    }
    expect(runMs(essential, { backend, ...standard })).toBeLessThan(standard.budgetMs[backend]);
  });
});
