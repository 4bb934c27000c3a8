import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { formatNumber } from "../../format.js";
import type { LaneName } from "../../measure/gain.js";
import type { Cars } from "./cars.js";
import type { RecentFigures } from "./recent-figures.js";

const TITLES: Readonly<Record<LaneName, string>> = { batched: "With batching", single: "One call at a time" };
const NOTHING = "–";

/** One world with its figures. */
export function SidePanel({ cars, lane }: { cars: Cars; lane: LaneName }) {
  return (
    <section class="cars-side" aria-labelledby={`cars-${lane}`} data-lane={lane} data-testid={`cars-${lane}`}>
      <h2 id={`cars-${lane}`}>{TITLES[lane]}</h2>
      <WorldCanvas cars={cars} lane={lane} />
      <SideFigures cars={cars} lane={lane} />
    </section>
  );
}

function WorldCanvas({ cars, lane }: { cars: Cars; lane: LaneName }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const side = cars.sides[lane];
    const resize = (): void => {
      side.width.value = Math.round(element.clientWidth * devicePixelRatio);
    };
    resize();
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    const close = side.open(element);
    return () => {
      observer.disconnect();
      close();
    };
  }, [cars, lane]);
  return (
    <canvas
      ref={canvas}
      class="cars-world"
      role="img"
      aria-label="Cars on a race track, seen from above"
      data-testid={`cars-world-${lane}`}
    />
  );
}

function SideFigures({ cars, lane }: { cars: Cars; lane: LaneName }) {
  const { figures } = cars.sides[lane];
  const show = (value: (recent: RecentFigures) => number): string =>
    figures.value === null ? NOTHING : formatNumber(Math.max(0, Math.round(value(figures.value))));
  const perSecond = useComputed(() => 1000 / cars.framePeriodMs.value);
  const frames = useComputed(() => show(({ framesPerSecond }) => Math.min(framesPerSecond, perSecond.value)));
  const dropped = useComputed(() => show(({ framesPerSecond }) => perSecond.value - framesPerSecond));
  const answers = useComputed(() => show(({ answersPerSecond }) => answersPerSecond));
  const crashes = useComputed(() => show(({ crashesPerMinute }) => crashesPerMinute));
  return (
    <dl class="cars-figures">
      <div class="cars-figure">
        <dt>Frames a second</dt>
        <dd data-testid={`cars-frames-${lane}`}>{frames}</dd>
      </div>
      <div class="cars-figure">
        <dt>Dropped a second</dt>
        <dd data-testid={`cars-dropped-${lane}`}>{dropped}</dd>
      </div>
      <div class="cars-figure">
        <dt>Answers a second</dt>
        <dd data-testid={`cars-answers-${lane}`}>{answers}</dd>
      </div>
      <div class="cars-figure">
        <dt>
          Crashes a minute <span>per 100 cars</span>
        </dt>
        <dd data-testid={`cars-crashes-${lane}`}>{crashes}</dd>
      </div>
    </dl>
  );
}
