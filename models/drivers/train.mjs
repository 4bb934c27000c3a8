/** Trains the drivers by evolution and writes drivers.onnx: node drivers/train.mjs. See README.md. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as ort from "onnxruntime-web/wasm";
import { seededRandom } from "../src/random.mjs";
import { driverModel, manyDriversModel, PARAMETERS, stackDrivers, untrainedDriver } from "./driver.mjs";
import { HALF_WIDTH, makeTrack } from "./track.mjs";
import { CONTROLS, Traffic, VIEW_SIZE } from "./traffic.mjs";

const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: fileURLToPath(new URL("drivers.onnx", import.meta.url)) },
    generations: { type: "string", default: "800" },
  },
});

/** None of these is the track of the page. */
const TRACKS = Array.from({ length: 48 }, (_, index) => makeTrack(1001 + index));
const TRACKS_PER_GENERATION = 4;
const CARS_PER_TRACK = 6;
const CARS = CARS_PER_TRACK * TRACKS_PER_GENERATION;
const STEPS = 240;
const STEP_S = 1 / 60;
/** Pairs of children in a generation, who differ from the parent in opposite ways. */
const PAIRS = 24;
/** How far the children's parameters are from the parent's, as standard deviation: at the start, and at the end. */
const SPREADS = Object.freeze([0.05, 0.02]);
/** How far a parameter moves in a generation, about: at the start, and at the end. */
const LEARNING_RATES = Object.freeze([0.03, 0.005]);
/**
 * What a crash costs, as distance in units: at the start, where a driver that fears crashes would learn to stand still, and
 * at the end.
 */
const CRASH_COSTS = Object.freeze([40, 250]);
/** What a second costs that a car drives half the road's width beside its lane. */
const LANE_COST = 60;
/** What a second costs in which the wheel goes from one stop to the middle and back in each step. */
const UNREST_COST = 60;

ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(manyDriversModel().bytes);
const random = seededRandom(7);
const parent = untrainedDriver();
const startMs = performance.now();
const momentum = { mean: new Float64Array(PARAMETERS), square: new Float64Array(PARAMETERS) };
const generations = Number(options.generations);
for (let generation = 1; generation <= generations; generation++) {
  const noises = Array.from({ length: PAIRS }, () => Float32Array.from({ length: PARAMETERS }, normal));
  const spread = between(SPREADS, generation);
  const children = noises.flatMap((noise) =>
    [spread, -spread].map((step) => parent.map((value, index) => value + step * noise[index])),
  );
  const scores = await scoresOf(children, generation);
  learn(noises, scores, generation);
  if (generation % 10 === 0) report(generation, scores);
}
writeFileSync(options.out, driverModel("drivers", parent).bytes);

/**
 * Lets each driver drive the same cars.
 *
 * @param {readonly Float32Array[]} drivers
 * @param {number} generation chooses the tracks and the cars
 * @returns {Promise<number[]>} how far each came with a car, less what its faults cost
 */
async function scoresOf(drivers, generation) {
  const traffics = drivers.map(() =>
    Array.from({ length: TRACKS_PER_GENERATION }, (_, index) => {
      const track = TRACKS[(generation * TRACKS_PER_GENERATION + index) % TRACKS.length];
      return new Traffic(track, CARS_PER_TRACK, 1000 * generation + index);
    }),
  );
  const weights = weightsOf(drivers);
  const faults = drivers.map(() => 0);
  const crashCost = between(CRASH_COSTS, generation);
  for (let step = 0; step < STEPS; step++) {
    const views = new ort.Tensor("float32", look(traffics), [drivers.length, CARS, VIEW_SIZE]);
    const { controls } = await session.run({ views, ...weights });
    const answers = Float32Array.from(controls.data, Number);
    traffics.forEach((own, driver) => {
      faults[driver] += drive(own, answers, driver * CARS * CONTROLS);
    });
  }
  return traffics.map((own, driver) => {
    const distance = own.reduce((sum, traffic) => sum + traffic.distance - crashCost * traffic.crashes, 0);
    return (distance - faults[driver]) / CARS;
  });
}

/** @param {readonly (readonly Traffic[])[]} traffics of each driver @returns {Float32Array} the views of all cars */
function look(traffics) {
  const views = new Float32Array(traffics.length * CARS * VIEW_SIZE);
  let place = 0;
  for (const traffic of traffics.flat()) {
    for (let car = 0; car < traffic.count; car++) {
      traffic.look(car, views.subarray(place, (place += VIEW_SIZE)));
    }
  }
  return views;
}

/**
 * Moves the cars of one driver by a step.
 *
 * @param {readonly Traffic[]} own
 * @param {Float32Array} answers of all drivers
 * @param {number} from where those of this driver begin
 * @returns {number} what the driver's faults in this step cost
 */
function drive(own, answers, from) {
  let cost = 0;
  for (const [index, traffic] of own.entries()) {
    const begin = from + index * CARS_PER_TRACK * CONTROLS;
    for (let car = 0; car < traffic.count; car++) {
      const unrest = answers[begin + CONTROLS * car] - traffic.controls[CONTROLS * car];
      const offset = (traffic.beside[car] - traffic.lane[car]) / HALF_WIDTH;
      cost += (UNREST_COST * unrest ** 2 + LANE_COST * offset ** 2) * STEP_S;
    }
    traffic.controls.set(answers.subarray(begin, begin + CARS_PER_TRACK * CONTROLS));
    traffic.drive(STEP_S);
  }
  return cost;
}

/** @param {readonly Float32Array[]} drivers @returns {Record<string, ort.Tensor>} */
function weightsOf(drivers) {
  const tensors = stackDrivers(drivers).flatMap(({ inputs, outputs, weights, biases }, layer) => [
    [`layer${layer}`, new ort.Tensor("float32", weights, [drivers.length, inputs, outputs])],
    [`biases${layer}`, new ort.Tensor("float32", biases, [drivers.length, 1, outputs])],
  ]);
  return Object.fromEntries(tensors);
}

/**
 * Moves the parent towards the better children (evolution strategies; Salimans et al., 2017), with the step sizes of
 * Adam.
 *
 * @param {readonly Float32Array[]} noises
 * @param {readonly number[]} scores two for each noise
 * @param {number} generation
 */
function learn(noises, scores, generation) {
  const order = scores.map((_, child) => child).sort((a, b) => scores[a] - scores[b]);
  const ranks = scores.map(() => 0);
  order.forEach((child, rank) => (ranks[child] = rank / (scores.length - 1)));
  const rate = between(LEARNING_RATES, generation);
  for (let index = 0; index < PARAMETERS; index++) {
    let slope = 0;
    for (const [pair, noise] of noises.entries()) slope += (ranks[2 * pair] - ranks[2 * pair + 1]) * noise[index];
    momentum.mean[index] += 0.1 * (slope - momentum.mean[index]);
    momentum.square[index] += 0.01 * (slope ** 2 - momentum.square[index]);
    const mean = momentum.mean[index] / (1 - 0.9 ** generation);
    const spread = Math.sqrt(momentum.square[index] / (1 - 0.99 ** generation));
    parent[index] += (rate * mean) / (spread + 1e-8);
  }
}

/** @param {number} generation @param {readonly number[]} scores */
function report(generation, scores) {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const seconds = Math.round((performance.now() - startMs) / 1000);
  console.log(`generation ${generation}: mean score ${mean.toFixed(0)}, ${seconds} s`);
}

/** @param {readonly number[]} ends @param {number} generation */
function between([start, end], generation) {
  return start + (end - start) * (generation / generations);
}

/** A normally distributed random number (Box and Muller). */
function normal() {
  return Math.sqrt(-2 * Math.log(Math.abs(random()) + 1e-9)) * Math.cos(Math.PI * random());
}
