/** Time of a run as a straight line over its volume. */
export interface Line {
  readonly fixedMs: number;
  readonly msPerVolume: number;
}

export interface WeightedPoint {
  readonly volume: number;
  readonly ms: number;
  readonly weight: number;
}

/** Of a single measured shape, the share of its time that is taken to grow with volume, until a second one tells. */
const ASSUMED_GROWTH = 0.1;

/** Rows of less volume than this cannot tell what volume costs: the slope would be a division by nearly 0. */
const LEAST_VOLUME = 1e-9;

/**
 * Weighted least squares on relative errors, with neither part below 0. Relative, since a run of 64 rows is measured no
 * better than one of a single row, and would otherwise decide alone. Both parts are finite for volumes up to 2^65.
 */
export function fitLine(points: readonly WeightedPoint[]): Line {
  let [n, v, m, vv, vm] = [0, 0, 0, 0, 0];
  for (const { volume, ms, weight } of points) {
    const w = weight / Math.max(ms, 1e-6) ** 2;
    n += w;
    v += w * volume;
    m += w * ms;
    vv += w * volume * volume;
    vm += w * volume * ms;
  }
  if (n === 0) return { fixedMs: 0, msPerVolume: 0 };
  const spread = n * vv - v * v;
  if (spread <= 1e-9 * n * vv) return lineThrough(m / n, v / n);
  const slope = (n * vm - v * m) / spread;
  if (slope <= 0) return { fixedMs: m / n, msPerVolume: 0 };
  const fixed = (m - slope * v) / n;
  return fixed >= 0 ? { fixedMs: fixed, msPerVolume: slope } : { fixedMs: 0, msPerVolume: vm / vv };
}

/** The line through a single shape. */
function lineThrough(ms: number, volume: number): Line {
  if (volume < LEAST_VOLUME) return { fixedMs: ms, msPerVolume: 0 };
  return { fixedMs: ms * (1 - ASSUMED_GROWTH), msPerVolume: (ASSUMED_GROWTH * ms) / volume };
}
