/** The batches of one width of lines. */
export interface WidthBatches {
  /** Pixels at the recognizer's height. */
  readonly width: number;
  /** Lines of each batch, in the order in which the batches ended. */
  readonly sizes: readonly number[];
}

/** A line that was read in a batch. */
export interface BatchedLine {
  readonly width: number;
  readonly batchId: number;
}

/** Counts the lines of each batch by their width, from narrow to wide. */
export function batchesByWidth(lines: readonly BatchedLine[]): WidthBatches[] {
  const widths = new Map<number, Map<number, number>>();
  for (const { width, batchId } of lines) {
    const batches = widths.get(width) ?? new Map<number, number>();
    batches.set(batchId, (batches.get(batchId) ?? 0) + 1);
    widths.set(width, batches);
  }
  return [...widths].toSorted(([a], [b]) => a - b).map(([width, batches]) => ({ width, sizes: [...batches.values()] }));
}

/** Batches of the same size and width. */
export interface EqualBatches {
  /** Lines of each. */
  readonly size: number;
  readonly count: number;
}

/** Counts batches of the same size, from large to small. */
export function equalBatches({ sizes }: WidthBatches): EqualBatches[] {
  const counts = new Map<number, number>();
  for (const size of sizes) counts.set(size, (counts.get(size) ?? 0) + 1);
  return [...counts].toSorted(([a], [b]) => b - a).map(([size, count]) => ({ size, count }));
}
