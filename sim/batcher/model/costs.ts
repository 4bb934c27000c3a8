/** The run time of a batch as a function of its rows. */
export interface Cost {
  readonly name: string;
  /**
   * Run time in milliseconds. `rows` may be fractional: rows shorter than the reference length count as less than one.
   */
  readonly ms: (rows: number) => number;
  /** Time of a run's messages in both directions, in addition to the device time, in milliseconds. @default 0 */
  readonly messageMs?: number;
  /** What the page and its worker work besides. @default nothing */
  readonly page?: PageCost;
}

/** Processor time of a page and its worker besides inference, in milliseconds. Each has a processor of its own. */
export interface PageCost {
  /** Of the page: to make a request, and again to handle its answer. */
  readonly callMs: number;
  /** Of the page: to send a run to the worker, and again to receive its answers. */
  readonly messageMs: number;
  /** Of the worker: to receive a run, stack its rows, split its outputs and send them. */
  readonly workerMs: number;
  /** How much longer a run takes if the worker has had nothing to do for a while, in its sleeping thread and cold caches. */
  readonly pauseMs: number;
}

export const NO_PAGE: PageCost = { callMs: 0, messageMs: 0, workerMs: 0, pauseMs: 0 };

function line(fixedMs: number, perRowMs: number): Cost {
  return { name: `${fixedMs}+${perRowMs}n`, ms: (rows) => fixedMs + perRowMs * rows };
}

/** Interpolates linearly between measured points and extrapolates beyond both ends. */
export function table(name: string, points: readonly (readonly [rows: number, ms: number])[]): Cost {
  const segments = points.slice(1).map(([right, rightMs], i) => {
    const [left, leftMs] = points[i] ?? [0, 0];
    const slope = (rightMs - leftMs) / (right - left);
    return { right, slope, fixedMs: leftMs - slope * left };
  });
  return {
    name,
    ms(rows) {
      const segment = segments.find(({ right }) => rows <= right) ?? segments.at(-1);
      return segment === undefined ? 0 : segment.fixedMs + segment.slope * rows;
    },
  };
}

/** GPUs (a large fixed cost), fast and slow WASM models, and one real model that is fastest at 4 rows. */
export const COSTS: readonly Cost[] = [
  line(8, 0.05),
  line(2, 0.05),
  line(0.3, 0.1),
  line(0.1, 1),
  line(2, 6),
  line(9, 1),
  table("best-at-4", [
    [1, 39],
    [4, 120],
    [16, 489],
    [64, 2600],
  ]),
];

/** A slow model and a tiny model behind a worker's messages, for the isolated bursts. */
export const MESSAGE_COSTS: readonly Cost[] = [
  { ...line(0, 12), messageMs: 0.15 },
  { ...line(0.03, 0.001), messageMs: 0.1 },
];

/** Returns the highest rate that batches of up to `maxBatchSize` reach, in rows per millisecond. */
export function capacityPerMs(cost: Cost, maxBatchSize: number): number {
  let best = 0;
  for (let rows = 1; rows <= maxBatchSize; rows++) best = Math.max(best, rows / cost.ms(rows));
  return best;
}

/** Returns the run time of the smallest batch whose rate is within 5 % of the best, in milliseconds. */
export function usualRunMs(cost: Cost, maxBatchSize: number): number {
  const enough = 0.95 * capacityPerMs(cost, maxBatchSize);
  let rows = 1;
  while (rows < maxBatchSize && rows / cost.ms(rows) < enough) rows++;
  return cost.ms(rows);
}
