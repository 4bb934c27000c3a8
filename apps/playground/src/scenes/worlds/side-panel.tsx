import { useComputed, type ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { LaneName } from "../../measure/gain.js";

const TITLES: Readonly<Record<LaneName, string>> = { batched: "With batching", single: "One call at a time" };
const NOTHING = "–";

/** What a panel needs of a side. */
export interface ShownSide<Recent> {
  readonly figures: ReadonlySignal<Recent | null>;
  readonly width: { value: number };
  open(canvas: HTMLCanvasElement): () => void;
}

/** A figure below a world. */
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
  /** What the canvas shows, in words. */
  readonly picture: string;
  readonly figures: readonly SideFigure<Recent>[];
}

/** One world with its figures. */
export function SidePanel<Recent>({ scene, lane, side, picture, figures }: SidePanelProps<Recent>) {
  const id = `${scene}-${lane}`;
  return (
    <section class="world-side" aria-labelledby={id} data-lane={lane} data-testid={id}>
      <h2 id={id}>{TITLES[lane]}</h2>
      <WorldCanvas side={side} picture={picture} testId={`${scene}-world-${lane}`} />
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

function WorldCanvas<Recent>({ side, picture, testId }: { side: ShownSide<Recent>; picture: string; testId: string }) {
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
