import fc from "fast-check";
import { afterEach, beforeEach, it, vi } from "vitest";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { HubScene, MB, NAMES } from "../../../test/support/hub-scene.js";

const SCENARIOS = process.env["FRAMEBATCH_ALL"] === undefined ? 150 : 2000;

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

// defect E9, E10, E11, E12, E18
it(`a hub settles every call rightly and knows its models, in ${SCENARIOS} random scenarios`, async () => {
  const scenario = fc.asyncProperty(
    options,
    fc.array(step, { minLength: 5, maxLength: 40 }),
    fc.boolean(),
    async (chosen, steps, endsEarly) => {
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
    },
  );
  await fc.assert(scenario, { numRuns: SCENARIOS });
}, 600_000);
