import type { WorldFigures } from "./world/protocol.js";

/** What a side shows. */
export interface RecentFigures {
  readonly framesPerSecond: number;
  readonly answersPerSecond: number;
  /** Per 100 cars. */
  readonly crashesPerMinute: number;
}

/**
 * The rates of the last second, and the crashes of the whole history, since crashes are rare.
 * @param history reports of one load, not empty
 */
export function recentFigures(history: readonly WorldFigures[]): RecentFigures {
  const last = history.slice(-2);
  const seconds = sum(last, ({ elapsedMs }) => elapsedMs) / 1000;
  const carMinutes = sum(history, ({ elapsedMs, cars }) => (elapsedMs * cars) / 60_000);
  return {
    framesPerSecond: sum(last, ({ frames }) => frames) / seconds,
    answersPerSecond: sum(last, ({ answers }) => answers) / seconds,
    crashesPerMinute: (100 * sum(history, ({ crashes }) => crashes)) / carMinutes,
  };
}

function sum(history: readonly WorldFigures[], value: (figures: WorldFigures) => number): number {
  return history.reduce((total, figures) => total + value(figures), 0);
}
