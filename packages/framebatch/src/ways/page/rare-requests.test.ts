import { expect, it } from "vitest";
import { ONE, TWO, wayScene } from "../../../test/support/way-scene.js";

it("trials that requests are too rare for are made less and less often", async () => {
  const scene = wayScene({ ...ONE }, [
    [ONE, { ms: () => 400 }],
    [TWO, { ms: () => 400 }],
  ]);
  for (let request = 0; request < 40; request += 1) {
    void scene.ask();
    await scene.pass(120_000);
  }
  const opened = scene.log.filter((entry) => entry.startsWith("open")).length;
  expect(opened).toBeGreaterThan(1);
  expect(opened).toBeLessThan(9);
});

it("a trial that has few requests ends after some minutes", async () => {
  const scene = wayScene({ ...ONE }, [
    [ONE, { ms: () => 2 }],
    [TWO, { ms: () => 2 }],
  ]);
  scene.call(1);
  await scene.pass(150);
  scene.leave();
  await scene.pass(50);
  expect(scene.log.filter((entry) => entry.startsWith("open"))).toHaveLength(1);
  for (let request = 0; request < 20; request += 1) {
    void scene.ask();
    await scene.pass(20_000);
  }
  expect(scene.log.some((entry) => entry.startsWith("close"))).toBe(true);
});
