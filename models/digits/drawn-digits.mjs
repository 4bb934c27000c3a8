const TURN = 2 * Math.PI;

/** Part of an ellipse; angles in turns, clockwise from the right. */
function arc(centreX, centreY, radiusX, radiusY, from, to) {
  const steps = 24;
  return Array.from({ length: steps + 1 }, (_, step) => {
    const angle = TURN * (from + ((to - from) * step) / steps);
    return [centreX + radiusX * Math.cos(angle), centreY + radiusY * Math.sin(angle)];
  });
}

/** Straight lines through points, given as x, y, x, y and so on. */
function path(...numbers) {
  return Array.from({ length: numbers.length / 2 }, (_, index) => numbers.slice(2 * index, 2 * index + 2));
}

export const drawnDigits = [
  { digit: 0, style: "oval", strokes: [arc(0.35, 0.5, 0.33, 0.5, -0.25, 0.75)] },
  { digit: 0, style: "circle, not quite closed", strokes: [arc(0.5, 0.5, 0.5, 0.5, -0.25, 0.72)] },
  { digit: 1, style: "upright", strokes: [path(0.2, 0, 0.2, 1)] },
  { digit: 1, style: "slanted", strokes: [path(0.4, 0, 0.15, 1)] },
  { digit: 1, style: "with a flag", strokes: [path(0, 0.22, 0.25, 0, 0.25, 1)] },
  { digit: 1, style: "with a flag and a foot", strokes: [path(0, 0.3, 0.25, 0, 0.25, 1), path(0, 1, 0.5, 1)] },
  { digit: 2, style: "narrow", strokes: [[...arc(0.32, 0.3, 0.32, 0.3, -0.5, 0.08), ...path(0, 1, 0.7, 1)]] },
  { digit: 2, style: "wide", strokes: [[...arc(0.4, 0.28, 0.4, 0.28, -0.45, 0.1), ...path(0.02, 0.98, 0.85, 0.95)]] },
  {
    digit: 3,
    style: "round",
    strokes: [[...arc(0.3, 0.26, 0.32, 0.26, -0.4, 0.25), ...arc(0.3, 0.76, 0.36, 0.25, -0.25, 0.4)]],
  },
  {
    digit: 3,
    style: "flat top",
    strokes: [[...path(0, 0, 0.6, 0, 0.28, 0.4), ...arc(0.28, 0.7, 0.34, 0.3, -0.2, 0.4)]],
  },
  { digit: 4, style: "open", strokes: [path(0.12, 0, 0.02, 0.55, 0.65, 0.55), path(0.52, 0.05, 0.5, 1)] },
  { digit: 4, style: "closed", strokes: [path(0.5, 0, 0, 0.65, 0.7, 0.65), path(0.5, 0, 0.5, 1)] },
  {
    digit: 5,
    style: "two strokes",
    strokes: [[...path(0.1, 0, 0.07, 0.42), ...arc(0.28, 0.69, 0.34, 0.31, -0.34, 0.4)], path(0.1, 0, 0.62, 0)],
  },
  {
    digit: 5,
    style: "one stroke",
    strokes: [[...path(0.6, 0, 0.12, 0, 0.06, 0.45), ...arc(0.26, 0.7, 0.32, 0.3, -0.3, 0.42)]],
  },
  {
    digit: 6,
    style: "curved",
    strokes: [[...path(0.5, 0, 0.22, 0.25, 0.03, 0.6), ...arc(0.3, 0.72, 0.28, 0.28, 0.5, -0.5)]],
  },
  {
    digit: 6,
    style: "straight back",
    strokes: [[...path(0.12, 0, 0.04, 0.7), ...arc(0.3, 0.73, 0.27, 0.27, 0.5, -0.5)]],
  },
  { digit: 7, style: "plain", strokes: [path(0, 0, 0.65, 0, 0.25, 1)] },
  { digit: 7, style: "crossed", strokes: [path(0, 0.02, 0.68, 0, 0.22, 1), path(0.18, 0.5, 0.66, 0.48)] },
  {
    digit: 8,
    style: "wide",
    strokes: [arc(0.32, 0.25, 0.25, 0.25, 0.25, -0.75), arc(0.32, 0.75, 0.32, 0.25, -0.25, 0.75)],
  },
  {
    digit: 8,
    style: "narrow",
    strokes: [arc(0.25, 0.26, 0.2, 0.24, 0.25, -0.75), arc(0.25, 0.75, 0.24, 0.25, -0.25, 0.75)],
  },
  { digit: 9, style: "straight tail", strokes: [[...arc(0.28, 0.28, 0.28, 0.28, 0, -1), ...path(0.54, 1)]] },
  {
    digit: 9,
    style: "curved tail",
    strokes: [[...arc(0.3, 0.27, 0.27, 0.27, 0, -1), ...path(0.55, 0.7, 0.42, 0.95, 0.1, 0.97)]],
  },
];

const SIZE = 28;
const BOX = 20;

export function drawDigit(strokes, { penWidth, place = {} }) {
  const { angle = 0, scale = 1, shift = [0, 0] } = place;
  const segments = fitted(strokes);
  return Float32Array.from({ length: SIZE * SIZE }, (_, index) => {
    const right = (index % SIZE) + 0.5 - SIZE / 2 - shift[0];
    const down = Math.floor(index / SIZE) + 0.5 - SIZE / 2 - shift[1];
    const x = (right * Math.cos(angle) + down * Math.sin(angle)) / scale;
    const y = (down * Math.cos(angle) - right * Math.sin(angle)) / scale;
    const distance = Math.min(...segments.map((segment) => distanceTo(segment, x, y))) * scale;
    return Math.min(1, Math.max(0, penWidth / 2 - distance + 0.5));
  });
}

/** Line segments around the middle of their ink, the longer side of the drawing BOX pixels long. */
function fitted(strokes) {
  const points = strokes.flat();
  const [width, height] = [0, 1].map((axis) => {
    const values = points.map((point) => point[axis]);
    return Math.max(...values) - Math.min(...values);
  });
  const pixels = BOX / Math.max(width, height);
  const segments = strokes.flatMap((stroke) =>
    stroke.slice(1).map((end, index) => [...stroke[index], ...end].map((value) => value * pixels)),
  );
  const [middleX, middleY] = middleOfInk(segments);
  return segments.map(([x1, y1, x2, y2]) => [x1 - middleX, y1 - middleY, x2 - middleX, y2 - middleY]);
}

function middleOfInk(segments) {
  let [sumX, sumY, total] = [0, 0, 0];
  for (const [x1, y1, x2, y2] of segments) {
    const length = Math.hypot(x2 - x1, y2 - y1);
    sumX += (length * (x1 + x2)) / 2;
    sumY += (length * (y1 + y2)) / 2;
    total += length;
  }
  return [sumX / total, sumY / total];
}

function distanceTo([x1, y1, x2, y2], x, y) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1);
  const nearest = Math.min(1, Math.max(0, along));
  return Math.hypot(x - x1 - nearest * dx, y - y1 - nearest * dy);
}
