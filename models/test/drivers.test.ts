import { readFile } from "node:fs/promises";
import * as ort from "onnxruntime-web/wasm";
import { describe, expect, it } from "vitest";
import { makeTrack, SHOWN_TRACK, Traffic, VIEW_SIZE } from "@framebatch/models/drivers";
import { generateModel } from "@framebatch/models/generate";
import { float32, tensorOf, valuesOf } from "./run-model.js";

const CARS = 20;
const STEPS = 600;
const trained = new URL("../drivers/drivers.onnx", import.meta.url);

/** Lets a network drive for ten seconds, with a decision in every nth step. */
async function drive(model: Uint8Array, stepsPerDecision: number): Promise<Traffic> {
  const session = await ort.InferenceSession.create(model);
  const traffic = new Traffic(makeTrack(SHOWN_TRACK), CARS, 3);
  for (let step = 0; step < STEPS; step++) {
    if (step % stepsPerDecision === 0) {
      const views = new Float32Array(CARS * VIEW_SIZE);
      for (let car = 0; car < CARS; car++) traffic.look(car, views.subarray(car * VIEW_SIZE, (car + 1) * VIEW_SIZE));
      const controls = tensorOf(await session.run({ view: float32(views, [CARS, VIEW_SIZE]) }), "controls");
      traffic.controls.set(valuesOf(controls));
    }
    traffic.drive(1 / 60);
  }
  await session.release();
  return traffic;
}

describe("the drivers", () => {
  it("drive many times as far as before their training", async () => {
    const [before, after] = [
      await drive(generateModel("drivers-untrained").bytes, 1),
      await drive(await readFile(trained), 1),
    ];
    expect(after.distance).toBeGreaterThan(10 * before.distance);
    expect(after.crashes / after.distance).toBeLessThan(0.1 * (before.crashes / before.distance));
  });

  it("crash far more often if their answers come ten times later", async () => {
    const [fresh, stale] = [await drive(await readFile(trained), 1), await drive(await readFile(trained), 10)];
    expect(stale.crashes).toBeGreaterThan(4 * fresh.crashes);
  });
});

describe("a track", () => {
  it("is the same each time, and closed", () => {
    const track = makeTrack(SHOWN_TRACK);
    expect(makeTrack(SHOWN_TRACK)).toEqual(track);
    const [dx, dy] = [(track.x[0] ?? 0) - (track.x.at(-1) ?? 0), (track.y[0] ?? 0) - (track.y.at(-1) ?? 0)];
    expect(Math.hypot(dx, dy)).toBeCloseTo(track.step, 1);
  });
});
