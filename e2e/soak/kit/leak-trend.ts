/** The memory and objects of a page and its workers, with no open requests, after garbage collection. */
export interface Checkpoint {
  /** The number of requests so far. */
  readonly requests: number;
  readonly bytes: number;
  /** The number of live objects of the page, by class. */
  readonly objects: Readonly<Record<string, number>>;
}

export interface LeakLimits {
  readonly bytesPerRequest: number;
  /** The growth from the first checkpoint to the last. */
  readonly growthBytes: number;
}

/**
 * The default limits. The noise is about 0.1 MB over 10 million requests, which is 0.01 B per request. One object of 16
 * B in a hundred requests is 0.16 B per request.
 */
export const LEAK_LIMITS: LeakLimits = { bytesPerRequest: 0.05, growthBytes: 256 * 1024 };

/** The number of objects of a class that a browser may keep for a while after garbage collection. */
const TOLERATED_OBJECTS = 2;

/** Returns the slope of bytes over requests, by linear least squares. */
export function slopeOf(checkpoints: readonly Checkpoint[]): number {
  const meanX = mean(checkpoints.map(({ requests }) => requests));
  const meanY = mean(checkpoints.map(({ bytes }) => bytes));
  let covariance = 0;
  let variance = 0;
  for (const { requests, bytes } of checkpoints) {
    covariance += (requests - meanX) * (bytes - meanY);
    variance += (requests - meanX) ** 2;
  }
  return covariance / variance;
}

/**
 * Returns the lowest of each `size` checkpoints in a row: what the browser has not swept yet only adds to a reading, and a busy
 * machine leaves much of it.
 */
export function lowestOf(checkpoints: readonly Checkpoint[], size: number): Checkpoint[] {
  return Array.from({ length: Math.floor(checkpoints.length / size) }, (_, group) =>
    checkpoints.slice(group * size, (group + 1) * size).reduce((low, next) => (next.bytes < low.bytes ? next : low)),
  );
}

/** Returns one message for each sign of a leak. */
export function leakSigns(checkpoints: readonly Checkpoint[], limits: LeakLimits): string[] {
  const [first] = checkpoints;
  const last = checkpoints.at(-1);
  if (first === undefined || last === undefined || checkpoints.length < 3) {
    return [`expected at least 3 checkpoints to detect a leak, got ${checkpoints.length}`];
  }
  const slope = slopeOf(checkpoints);
  const growth = last.bytes - first.bytes;
  return [
    ...(slope > limits.bytesPerRequest
      ? [`expected at most ${limits.bytesPerRequest} B kept per request, got ${slope.toFixed(3)} B`]
      : []),
    ...(growth > limits.growthBytes ? [`expected a growth of at most ${limits.growthBytes} B, got ${growth} B`] : []),
    ...Object.entries(last.objects).flatMap(([name, count]) => {
      const before = mostInFirstHalf(checkpoints, name);
      return count > before + TOLERATED_OBJECTS
        ? [`expected at most ${before} objects of ${name}, as in the first half of the run, got ${count}`]
        : [];
    }),
  ];
}

/**
 * Returns the highest count in the first half of the run. Objects that are created once, on first use, exist by then,
 * while objects that leak with each request continue to accumulate.
 */
function mostInFirstHalf(checkpoints: readonly Checkpoint[], name: string): number {
  const firstHalf = checkpoints.slice(0, Math.ceil(checkpoints.length / 2));
  return Math.max(...firstHalf.map(({ objects }) => objects[name] ?? 0));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
