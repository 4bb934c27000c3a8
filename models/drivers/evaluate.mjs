/** Measures how well the drivers steer: node drivers/evaluate.mjs [--model FILE]. See README.md. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as ort from "onnxruntime-web/wasm";
import { driverModel, untrainedDriver } from "./driver.mjs";
import { makeTrack, SHOWN_TRACK } from "./track.mjs";
import { Traffic, VIEW_SIZE } from "./traffic.mjs";

const { values: options } = parseArgs({
  options: { model: { type: "string", default: fileURLToPath(new URL("drivers.onnx", import.meta.url)) } },
});

const CARS = 100;
const MINUTE_STEPS = 3600;
const STEP_S = 1 / 60;
/** Tracks that neither the training nor the page uses. */
const NEW_TRACKS = Array.from({ length: 4 }, (_, index) => 2001 + index);
/** A driver that decides in every nth frame, for the staleness that a slow page causes. */
const FRAMES_PER_DECISION = [1, 2, 3, 4, 6, 10, 15];

ort.env.wasm.numThreads = 1;
const trained = readFileSync(options.model);
const untrained = driverModel("drivers-untrained", untrainedDriver()).bytes;

console.log("| drivers | track | laps a minute and car | crashes a minute and car |\n| --- | --- | --- | --- |");
for (const [name, bytes] of /** @type {const} */ ([
  ["untrained", untrained],
  ["trained", trained],
])) {
  const session = await ort.InferenceSession.create(bytes);
  row([name, "the page's", ...(await driveMinute(session, [SHOWN_TRACK], 1))]);
  row([name, `${NEW_TRACKS.length} others`, ...(await driveMinute(session, NEW_TRACKS, 1))]);
}

console.log("\n| decisions a second | laps a minute and car | crashes a minute and car |\n| --- | --- | --- |");
const session = await ort.InferenceSession.create(trained);
for (const frames of FRAMES_PER_DECISION) {
  row([String(60 / frames), ...(await driveMinute(session, [SHOWN_TRACK], frames))]);
}

/**
 * @param {ort.InferenceSession} driver
 * @param {readonly number[]} seeds of the tracks
 * @param {number} frames per decision
 * @returns {Promise<[laps: string, crashes: string]>}
 */
async function driveMinute(driver, seeds, frames) {
  let [laps, crashes, minutes] = [0, 0, 0];
  for (const seed of seeds) {
    const traffic = new Traffic(makeTrack(seed), CARS, seed);
    for (let step = 0; step < MINUTE_STEPS; step++) {
      if (step % frames === 0) await decide(driver, traffic);
      traffic.drive(STEP_S);
    }
    laps += traffic.distance / traffic.track.length;
    crashes += traffic.crashes;
    minutes += CARS;
  }
  return [(laps / minutes).toFixed(2), (crashes / minutes).toFixed(2)];
}

/** @param {ort.InferenceSession} driver @param {Traffic} traffic */
async function decide(driver, traffic) {
  const views = new Float32Array(traffic.count * VIEW_SIZE);
  for (let car = 0; car < traffic.count; car++) {
    traffic.look(car, views.subarray(car * VIEW_SIZE, (car + 1) * VIEW_SIZE));
  }
  const { controls } = await driver.run({ view: new ort.Tensor("float32", views, [traffic.count, VIEW_SIZE]) });
  traffic.controls.set(Float32Array.from(controls.data, Number));
}

/** @param {readonly string[]} cells */
function row(cells) {
  console.log(`| ${cells.join(" | ")} |`);
}
