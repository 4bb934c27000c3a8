import { seededRandom } from "../src/random.mjs";
import { HALF_WIDTH, wrapAngle } from "./track.mjs";

/** The numbers that a car sees, and those with which its driver answers. */
export const VIEW_SIZE = 15;
export const CONTROLS = 2;

/** Where a driver looks at the bend of the road, in units ahead of the car. */
const LOOKAHEAD = [6, 18, 32, 48, 66, 88, 114, 146];
const FASTEST = 200;
/** Acceleration and braking, in units per second². */
const PULL = 150;
const BRAKE = 420;
/** What the tyres hold, in units per second². It limits the speed in bends. */
const GRIP = 620;
const MOST_TURN = 7;
/** How fast the wheels follow the steering, in seconds. */
const STEERING_LAG = 0.05;
/** The speed after a crash, and the time until the car may drive again, in seconds. */
const RESTART_SPEED = 40;
export const CRASH_PAUSE_S = 0.5;

/**
 * Cars on one track, which drive through each other. A car is its place on the track, so that driving needs no
 * geometry: how far along the centre line, how far beside it, and the angle to it.
 */
export class Traffic {
  /** @readonly */
  track;
  /** How many of the cars drive, from the first on. The others stand still. */
  count;
  /** Distance along the centre line, in units. @readonly */
  along;
  /** Distance from the centre line, in units. @readonly */
  beside;
  /** Angle to the centre line, in radians. @readonly */
  angle;
  /** In units per second. @readonly */
  speed;
  /** In radians per second. @readonly */
  turning;
  /** Each car's own lane, as distance from the centre line in units, and its own top speed. @readonly */
  lane;
  /** @readonly */
  topSpeed;
  /** Seconds until a crashed car drives again; 0 while it drives. @readonly */
  pause;
  /** Steering and throttle of each car, -1 to 1: the answers of its driver, as they come. @readonly */
  controls;
  crashes = 0;
  /** The sum over all cars, in units. */
  distance = 0;
  /** The sum over all cars of the seconds in which they drove or waited after a crash. */
  seconds = 0;

  /**
   * @param {import("./track.mjs").Track} track
   * @param {number} count
   * @param {number} seed any integer except 0
   */
  constructor(track, count, seed) {
    const random = seededRandom(seed);
    for (let roll = 0; roll < 8; roll++) random();
    const some = (/** @type {() => number} */ value) => Float32Array.from({ length: count }, value);
    this.track = track;
    this.count = count;
    this.along = some(() => (0.5 + 0.5 * random()) * track.length);
    this.lane = some(() => 0.6 * HALF_WIDTH * random());
    this.topSpeed = some(() => FASTEST * (0.8 + 0.2 * random()));
    this.beside = Float32Array.from(this.lane);
    this.angle = some(() => 0.1 * random());
    this.speed = some(() => RESTART_SPEED);
    this.turning = new Float32Array(count);
    this.pause = new Float32Array(count);
    this.controls = new Float32Array(CONTROLS * count);
  }

  /**
   * Writes what a car sees: its place in the lane, its motion, and the bends of the road ahead.
   *
   * @param {number} car
   * @param {Float32Array} view `VIEW_SIZE` numbers, mostly between -1 and 1
   */
  look(car, view) {
    const { along, track } = this;
    view[0] = this.beside[car] / HALF_WIDTH;
    view[1] = (this.beside[car] - this.lane[car]) / HALF_WIDTH;
    view[2] = Math.sin(this.angle[car]);
    view[3] = Math.cos(this.angle[car]);
    view[4] = this.speed[car] / FASTEST;
    view[5] = this.topSpeed[car] / FASTEST;
    view[6] = this.turning[car] / MOST_TURN;
    for (const [index, ahead] of LOOKAHEAD.entries()) view[7 + index] = 25 * this.#bendAt(along[car] + ahead, track);
  }

  /**
   * Moves all cars, each with the steering and throttle that its driver answered last.
   *
   * @param {number} seconds at most 1/30, or the motion is too coarse
   */
  drive(seconds) {
    for (let car = 0; car < this.count; car++) {
      this.seconds += seconds;
      if (this.pause[car] > 0) this.#recover(car, seconds);
      else this.#move(car, seconds);
    }
  }

  /** @param {number} car @param {number} seconds */
  #move(car, seconds) {
    const bend = this.#bendAt(this.along[car], this.track);
    const [steering, throttle] = [this.controls[CONTROLS * car], this.controls[CONTROLS * car + 1]];
    const speed = this.speed[car] + (throttle > 0 ? PULL : BRAKE) * throttle * seconds;
    this.speed[car] = Math.min(this.topSpeed[car], Math.max(0, speed));
    const limit = Math.min(MOST_TURN, GRIP / Math.max(1, this.speed[car]));
    this.turning[car] += (steering * limit - this.turning[car]) * (1 - Math.exp(-seconds / STEERING_LAG));
    const forward = (this.speed[car] * Math.cos(this.angle[car])) / Math.max(0.2, 1 - bend * this.beside[car]);
    this.distance += forward * seconds;
    this.along[car] = (this.along[car] + forward * seconds + this.track.length) % this.track.length;
    this.beside[car] += this.speed[car] * Math.sin(this.angle[car]) * seconds;
    this.angle[car] = wrapAngle(this.angle[car] + (this.turning[car] - bend * forward) * seconds);
    if (Math.abs(this.beside[car]) > HALF_WIDTH || Math.cos(this.angle[car]) < 0) this.#crash(car);
  }

  /** @param {number} car */
  #crash(car) {
    this.crashes++;
    this.pause[car] = CRASH_PAUSE_S;
    this.speed[car] = 0;
    this.turning[car] = 0;
  }

  /** Puts a car back on its lane after its pause. @param {number} car @param {number} seconds */
  #recover(car, seconds) {
    this.pause[car] = Math.max(0, this.pause[car] - seconds);
    if (this.pause[car] > 0) return;
    this.beside[car] = this.lane[car];
    this.angle[car] = 0;
    this.speed[car] = RESTART_SPEED;
  }

  /** @param {number} along @param {import("./track.mjs").Track} track */
  #bendAt(along, { bend, step }) {
    return bend[Math.floor(along / step) % bend.length];
  }
}
