import { useComputed, type ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { LaneName } from "../../measure/gain.js";

/** Both sides, from left to right. */
export const LANES: readonly LaneName[] = ["batched", "single"];

const TITLES: Readonly<Record<LaneName, string>> = { batched: "With batching", single: "One call at a time" };
const NOTHING = "–";

/** What a panel needs of a side. */
export interface ShownSide<Recent> {
  readonly figures: ReadonlySignal<Recent | null>;
}

/** A side that draws. */
export interface DrawnSide {
  readonly width: { value: number };
  open(canvas: HTMLCanvasElement): () => void;
}

/** A figure below a side. */
export interface SideFigure<Recent> {
  readonly id: string;
  readonly name: ComponentChildren;
  readonly show: (recent: Recent) => string;
}

interface SidePanelProps<Recent> {
  /** The name of the scene, which ids begin with. */
  readonly scene: string;
  readonly lane: LaneName;
  readonly side: ShownSide<Recent>;
  readonly figures: readonly SideFigure<Recent>[];
  /** What the side shows. */
  readonly children: ComponentChildren;
}

/** One side with its figures. */
export function SidePanel<Recent>({ scene, lane, side, figures, children }: SidePanelProps<Recent>) {
  const id = `${scene}-${lane}`;
  return (
    <section class="world-side" aria-labelledby={id} data-lane={lane} data-testid={id}>
      <h2 id={id}>{TITLES[lane]}</h2>
      {children}
      <dl class="world-figures">
        {figures.map((figure) => (
          <div key={figure.id} class="world-figure">
            <dt>{figure.name}</dt>
            <Shown side={side} figure={figure} testId={`${scene}-${figure.id}-${lane}`} />
          </div>
        ))}
      </dl>
    </section>
  );
}

interface ShownProps<Recent> {
  readonly side: ShownSide<Recent>;
  readonly figure: SideFigure<Recent>;
  readonly testId: string;
}

function Shown<Recent>({ side, figure, testId }: ShownProps<Recent>) {
  const text = useComputed(() => (side.figures.value === null ? NOTHING : figure.show(side.figures.value)));
  return <dd data-testid={testId}>{text}</dd>;
}

interface WorldCanvasProps {
  readonly side: DrawnSide;
  /** What the canvas shows, in words. */
  readonly picture: string;
  readonly testId: string;
}

/** The canvas of a side that draws. */
export function WorldCanvas({ side, picture, testId }: WorldCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
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
  }, [side]);
  return <canvas ref={canvas} class="world-canvas" role="img" aria-label={picture} data-testid={testId} />;
}
