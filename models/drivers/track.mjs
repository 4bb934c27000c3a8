import { seededRandom } from "../src/random.mjs";

/**
 * @typedef {object} Track a closed road, as equally spaced points of its centre line
 * @property {number} length in units; a world has 400 × 300
 * @property {number} step distance between two points, in units
 * @property {Float32Array} x
 * @property {Float32Array} y
 * @property {Float32Array} heading in radians
 * @property {Float32Array} bend curvature in 1/units; positive where the road turns towards growing headings
 */

/** The seed of the track that the page shows. Training never drives on it. */
export const SHOWN_TRACK = 22;

export const WORLD = Object.freeze({ width: 400, height: 300 });

/** Half the width of every road, in units. */
export const HALF_WIDTH = 15;

const POINTS = 720;
/** Points of the spline between two corners. */
const FINE = 200;
const CORNERS = 11;
/** A road never bends more tightly than this, so that its inner edge is still a road, in units. */
const MIN_RADIUS = 1.2 * HALF_WIDTH;
const MARGIN = HALF_WIDTH + 5;

/**
 * Makes the first track of a seed whose bends can be driven. The same seed gives the same track on every machine.
 *
 * @param {number} seed any integer except 0
 * @returns {Track}
 */
export function makeTrack(seed) {
  const random = seededRandom(seed);
  for (let roll = 0; roll < 8; roll++) random(); // small seeds start alike
  for (;;) {
    const track = measure(spline(corners(random)));
    if (Math.max(...track.bend.map(Math.abs)) * MIN_RADIUS < 1) return track;
  }
}

/** @typedef {readonly [x: number, y: number]} Point */

/**
 * Corners around the middle of the world, so that the road between them never crosses itself.
 *
 * @param {() => number} random
 * @returns {Point[]}
 */
function corners(random) {
  return Array.from({ length: CORNERS }, (_, index) => {
    const angle = (2 * Math.PI * (index + 0.25 * random())) / CORNERS;
    const reach = 0.71 + 0.29 * random();
    return /** @type {const} */ ([
      WORLD.width / 2 + reach * (WORLD.width / 2 - MARGIN) * Math.cos(angle),
      WORLD.height / 2 + reach * (WORLD.height / 2 - MARGIN) * Math.sin(angle),
    ]);
  });
}

/**
 * A closed Catmull-Rom spline through the corners.
 *
 * @param {readonly Point[]} through
 * @returns {Point[]}
 */
function spline(through) {
  const at = (/** @type {number} */ index) => through[(index + through.length) % through.length];
  return through.flatMap((_, index) => {
    const [a, b, c, d] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    return Array.from({ length: FINE }, (_unused, part) => {
      const t = part / FINE;
      const on = (/** @type {0 | 1} */ axis) =>
        b[axis] +
        0.5 * t * (c[axis] - a[axis]) +
        t * t * (a[axis] - 2.5 * b[axis] + 2 * c[axis] - 0.5 * d[axis]) +
        t * t * t * (1.5 * (b[axis] - c[axis]) + 0.5 * (d[axis] - a[axis]));
      return /** @type {const} */ ([on(0), on(1)]);
    });
  });
}

/**
 * @param {readonly Point[]} fine
 * @returns {Track}
 */
function measure(fine) {
  const lengths = fine.map(([x, y], index) => {
    const [nextX, nextY] = fine[(index + 1) % fine.length];
    return Math.hypot(nextX - x, nextY - y);
  });
  const length = lengths.reduce((sum, part) => sum + part, 0);
  const step = length / POINTS;
  const points = equallySpaced(fine, lengths, step);
  const heading = Float32Array.from(points, (_, index) => directionAt(points, index));
  const bend = Float32Array.from(points, (_, index) => {
    const turn = wrapAngle(heading[(index + 1) % POINTS] - heading[(index + POINTS - 1) % POINTS]);
    return turn / (2 * step);
  });
  return {
    length,
    step,
    x: Float32Array.from(points, ([x]) => x),
    y: Float32Array.from(points, ([, y]) => y),
    heading,
    bend: smooth(bend),
  };
}

/**
 * @param {readonly Point[]} fine
 * @param {readonly number[]} lengths of the parts that begin at each point
 * @param {number} step
 * @returns {Point[]}
 */
function equallySpaced(fine, lengths, step) {
  /** @type {Point[]} */
  const points = [];
  let passed = 0;
  for (const [index, length] of lengths.entries()) {
    const [x, y] = fine[index];
    const [nextX, nextY] = fine[(index + 1) % fine.length];
    while (points.length < POINTS && points.length * step < passed + length) {
      const share = (points.length * step - passed) / length;
      points.push([x + share * (nextX - x), y + share * (nextY - y)]);
    }
    passed += length;
  }
  return points;
}

/** @param {readonly Point[]} points @param {number} index */
function directionAt(points, index) {
  const [fromX, fromY] = points[(index + POINTS - 1) % POINTS];
  const [toX, toY] = points[(index + 1) % POINTS];
  return Math.atan2(toY - fromY, toX - fromX);
}

/** Averages over seven points, which a spline with corners needs. @param {Float32Array} values */
function smooth(values) {
  return values.map((_, index) => {
    let sum = 0;
    for (let near = -3; near <= 3; near++) sum += values[(index + near + POINTS) % POINTS];
    return sum / 7;
  });
}

/** @param {number} angle in radians */
export function wrapAngle(angle) {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}
