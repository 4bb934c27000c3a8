/** What a page and its worker hold at rest, after garbage collection. */
export interface Checkpoint {
  /** Requests made up to here. */
  readonly requests: number;
  readonly bytes: number;
  /** Live objects of the page by class. */
  readonly objects: Readonly<Record<string, number>>;
}

export interface LeakLimits {
  readonly bytesPerRequest: number;
  /** From the first checkpoint to the last. */
  readonly growthBytes: number;
}

/** Below the noise of some 0.1 MB over 10 million requests, and a sixth of an object in a hundred requests. */
export const LEAK_LIMITS: LeakLimits = { bytesPerRequest: 0.05, growthBytes: 256 * 1024 };

/** A browser may hold on to so many objects of a class for a while, whatever is asked of it. */
const TOLERATED_OBJECTS = 2;

/** The slope of a straight line through bytes over requests, by least squares. */
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

/** What shows that something was kept that should have been let go: a sentence for each sign. */
export function leakSigns(checkpoints: readonly Checkpoint[], limits: LeakLimits): string[] {
  const [first] = checkpoints;
  const last = checkpoints.at(-1);
  if (first === undefined || last === undefined || checkpoints.length < 3) {
    return [`expected at least 3 checkpoints to see a leak by, got ${checkpoints.length}`];
  }
  const slope = slopeOf(checkpoints);
  const growth = last.bytes - first.bytes;
  return [
    ...(slope > limits.bytesPerRequest
      ? [`expected to keep at most ${limits.bytesPerRequest} B of a request, kept ${slope.toFixed(3)} B`]
      : []),
    ...(growth > limits.growthBytes
      ? [`expected to grow by at most ${limits.growthBytes} B, grew by ${growth} B`]
      : []),
    ...Object.entries(last.objects).flatMap(([name, count]) => {
      const before = mostInFirstHalf(checkpoints, name);
      return count > before + TOLERATED_OBJECTS
        ? [`expected at most ${before} of ${name} as at first, got ${count}`]
        : [];
    }),
  ];
}

/** What is opened once, when it is first needed, is there by the middle of a run; what is kept of each request goes on growing. */
function mostInFirstHalf(checkpoints: readonly Checkpoint[], name: string): number {
  const firstHalf = checkpoints.slice(0, Math.ceil(checkpoints.length / 2));
  return Math.max(...firstHalf.map(({ objects }) => objects[name] ?? 0));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
