import { formatNumber } from "../../format.js";
import type { SideFigure } from "../worlds/side-panel.js";
import type { Motion } from "../worlds/motion.js";
import type { RecentFigures } from "./recent-figures.js";

/** The figures of a world of cars. */
export function carFigures({ framePeriodMs }: Motion): readonly SideFigure<RecentFigures>[] {
  const whole = (value: number): string => formatNumber(Math.max(0, Math.round(value)));
  const perSecond = (): number => 1000 / framePeriodMs.value;
  return [
    {
      id: "frames",
      name: "Frames a second",
      show: ({ framesPerSecond }) => whole(Math.min(framesPerSecond, perSecond())),
    },
    {
      id: "dropped",
      name: "Dropped a second",
      show: ({ framesPerSecond }) => whole(perSecond() - framesPerSecond),
    },
    { id: "answers", name: "Answers a second", show: ({ answersPerSecond }) => whole(answersPerSecond) },
    {
      id: "crashes",
      name: (
        <>
          Crashes a minute <span>per 100 cars</span>
        </>
      ),
      show: ({ crashesPerMinute }) => whole(crashesPerMinute),
    },
  ];
}
