import fc from "fast-check";
import { afterEach, beforeEach, it, vi } from "vitest";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { HubScene, type HubSceneOptions, MB, NAMES } from "../../../test/support/hub-scene.js";

const SCENARIOS = process.env["FRAMEBATCH_ALL"] === undefined ? 25 : 2000;

type Step = (scene: HubScene) => void | Promise<void>;

const name = fc.constantFrom(...NAMES);

/** One thing that callers, the server or the workers do. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: name.map((of) => (scene: HubScene) => scene.get(of)) },
  {
    weight: 8,
    arbitrary: fc
      .record({ handle: fc.nat(), count: fc.integer({ min: 1, max: 5 }) })
      .map((asked) => (scene: HubScene) => scene.predict(asked)),
  },
  { weight: 3, arbitrary: name.map((of) => (scene: HubScene) => scene.unload(of)) },
  { weight: 1, arbitrary: fc.nat().map((handle) => (scene: HubScene) => scene.disposeModel(handle)) },
  { weight: 1, arbitrary: fc.nat().map((handle) => (scene: HubScene) => scene.restart(handle)) },
  { weight: 1, arbitrary: fc.nat().map((request) => (scene: HubScene) => scene.abort(request)) },
  { weight: 1, arbitrary: fc.constant((scene: HubScene) => scene.deploy()) },
  { weight: 1, arbitrary: fc.boolean().map((isUp) => (scene: HubScene) => scene.setServer(isUp)) },
  { weight: 1, arbitrary: fc.nat().map((worker) => (scene: HubScene) => scene.crash(worker)) },
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 }).map((turns) => (scene: HubScene) => scene.pass(turns)) },
);

const group = fc.record({
  maxMemoryBytes: fc.constantFrom(undefined, 130 * MB, 200 * MB),
  isInPieces: fc.boolean(),
});

const options = fc.record({
  memoryBudgetBytes: fc.constantFrom(undefined, 100 * MB, 250 * MB),
  instances: fc.constantFrom(1, 2),
  group: fc.option(group),
  loadTurns: fc.integer({ min: 0, max: 12 }),
  runTurns: fc.integer({ min: 0, max: 8 }),
});

beforeEach(() => stubBrowser());

afterEach(() => vi.unstubAllGlobals());

async function play(chosen: HubSceneOptions, steps: readonly Step[], endsEarly: boolean): Promise<void> {
  const scene = new HubScene(chosen);
  try {
    for (const act of steps) await act(scene);
    if (!endsEarly) {
      scene.setServer(true);
      await scene.settled();
      await scene.expectToKnowItsModels();
    }
  } finally {
    await scene.dispose();
  }
  await scene.settled();
  await scene.expectNothingLeft();
}

// defect E9, E10, E11, E12, E18
it(`a hub settles every call rightly and knows its models, in ${SCENARIOS} random scenarios`, async () => {
  const scenario = fc.asyncProperty(options, fc.array(step, { minLength: 5, maxLength: 40 }), fc.boolean(), play);
  await fc.assert(scenario, { numRuns: SCENARIOS });
}, 600_000);

const inGroup = (maxMemoryBytes: number, isInPieces: boolean, loadTurns: number): HubSceneOptions => ({
  memoryBudgetBytes: undefined,
  instances: 1,
  group: { maxMemoryBytes, isInPieces },
  loadTurns,
  runTurns: 0,
});

it("a model of a group is loaded while a caller disposes of the one that had the memory", async () => {
  const steps: Step[] = [
    (scene) => scene.get("c"),
    (scene) => scene.get("a"),
    (scene) => scene.pass(4),
    (scene) => scene.pass(3),
    (scene) => scene.get("a"),
    (scene) => scene.abort(0),
    (scene) => scene.disposeModel(0),
    (scene) => scene.pass(0),
    (scene) => scene.pass(0),
  ];
  await play(inGroup(130 * MB, false, 3), steps, false);
});

it("a model of a group is loaded while a caller restarts another one, although memory is free only in pieces", async () => {
  const steps: Step[] = [
    (scene) => scene.get("b"),
    (scene) => scene.get("a"),
    (scene) => scene.pass(2),
    (scene) => scene.restart(0),
    (scene) => scene.pass(0),
    (scene) => scene.predict({ handle: 0, count: 1 }),
    (scene) => scene.get("a"),
    (scene) => scene.predict({ handle: 0, count: 1 }),
  ];
  await play(inGroup(200 * MB, true, 0), steps, false);
});

it("a model of a group is loaded although the memory that was freed for it went to a restarted one", async () => {
  const steps: Step[] = [
    (scene) => scene.get("a"),
    (scene) => scene.get("c"),
    (scene) => scene.pass(2),
    (scene) => scene.restart(0),
    (scene) => scene.predict({ handle: 0, count: 1 }),
    (scene) => scene.predict({ handle: 0, count: 1 }),
  ];
  await play(inGroup(130 * MB, false, 0), steps, false);
});
