import { useEffect, useRef } from "preact/hooks";
import { formatNumber } from "../format.js";
import type { LaneName, RateFigures } from "../measure/gain.js";
import { geometricMean } from "../measure/paired-ratio.js";
import type { ThemeChoice } from "../theme.js";
import { LANE_LABELS } from "./lane-labels.js";
import { wallGrid } from "../comparison/wall-grid.js";
import type { LaneWall } from "../comparison/lane-wall.js";

interface LaneViewProps {
  readonly lane: LaneName;
  readonly wall: LaneWall;
  readonly tiles: number;
  readonly theme: ThemeChoice;
  readonly slices: readonly RateFigures[];
  readonly isRunning: boolean;
}

/** One of the two lanes: its tiles and its throughput. */
export function LaneView({ lane, wall, tiles, theme, slices, isRunning }: LaneViewProps) {
  const canvas = useWall(wall, tiles, theme);
  const { columns, rows } = wallGrid(tiles);
  const rates = slices.filter((slice) => slice.lane === lane).map(({ throughput }) => throughput);
  const rate = rates.length === 0 ? "–" : formatNumber(geometricMean(rates));
  return (
    <section class={`lane lane-${lane}`} data-running={isRunning} aria-label={LANE_LABELS[lane]}>
      <div class="lane-head">
        <h3>{LANE_LABELS[lane]}</h3>
        <p class="lane-rate">
          <strong data-testid={`lane-${lane}`}>{rate}</strong> predictions per second
        </p>
      </div>
      <canvas ref={canvas} class="lane-wall" style={`aspect-ratio: ${columns} / ${rows}`} aria-hidden="true" />
    </section>
  );
}

function useWall(wall: LaneWall, tiles: number, theme: ThemeChoice) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = theme.css.value;
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      element.width = Math.round(element.clientWidth * devicePixelRatio);
      element.height = Math.round(element.clientHeight * devicePixelRatio);
      wall.show(element, tiles, colours);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [wall, tiles, colours]);
  return canvas;
}
