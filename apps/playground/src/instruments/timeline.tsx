import { useComputed, useSignal, type Signal } from "@preact/signals";
import type { CompletedBatch } from "framebatch";
import { useEffect, useRef } from "preact/hooks";
import type { Playground } from "../playground.js";
import { describeBatch } from "./describe-batch.js";
import { IdleRedraw } from "./idle-redraw.js";
import { Legend, type Mark } from "./legend.js";
import { paintTimeline } from "./timeline-painter.js";
import { batchAt, ridersOf, timelineWindow, WINDOW_MS, type TimelineWindow } from "./timeline-window.js";

const HELP = "Point at a batch to see its requests, or move between batches with the arrow keys.";
const LEGEND: readonly (readonly [Mark, string])[] = [
  ["bar", "a batch; a second row while the next one is already sent"],
  ["late", "frames were dropped before this one"],
];
const HELP_ID = "timeline-help";

/** How long the window moves on after the last request, in ms. */
const AFTERGLOW_MS = 250;

/** The batch that the visitor inspects. The window does not move meanwhile. */
interface Look {
  readonly view: TimelineWindow;
  readonly batch: CompletedBatch | null;
}

/** The last two seconds: queued requests, running batches, painted frames. */
export function Timeline({ playground }: { playground: Playground }) {
  const look = useSignal<Look | null>(null);
  const canvas = useDrawing(playground, look);
  const words = useComputed(() => describeLook(look.value));
  const watch = (batch: (view: TimelineWindow) => CompletedBatch | null): void => {
    const view = look.peek()?.view ?? currentWindow(playground);
    look.value = { view, batch: batch(view) };
  };
  return (
    <figure class="timeline">
      <figcaption>
        The last two seconds <Legend entries={LEGEND} />
      </figcaption>
      <div class="timeline-body">
        <div class="timeline-bands" aria-hidden="true">
          <span>Queued</span>
          <span>Running</span>
          <span>Frames</span>
        </div>
        <canvas
          ref={canvas}
          class="timeline-canvas"
          data-testid="timeline"
          tabIndex={0}
          role="application"
          aria-roledescription="timeline"
          aria-label="Requests, batches and frames of the last two seconds"
          aria-describedby={HELP_ID}
          onPointerMove={(event) => watch((view) => batchAt(view, timeAt(event, view)))}
          onPointerLeave={() => (look.value = null)}
          onBlur={() => (look.value = null)}
          onKeyDown={(event) => {
            if (event.key === "Escape") look.value = null;
            const step = STEPS[event.key];
            if (step === undefined) return;
            event.preventDefault();
            watch((view) => step(view, look.peek()?.batch ?? null));
          }}
        />
      </div>
      <p id={HELP_ID} class="timeline-words" role="status" data-testid="timeline-words">
        {words}
      </p>
    </figure>
  );
}

type Step = (view: TimelineWindow, current: CompletedBatch | null) => CompletedBatch | null;

const STEPS: Readonly<Record<string, Step>> = {
  ArrowLeft: (view, current) => neighbour(view, current, -1),
  ArrowRight: (view, current) => neighbour(view, current, 1),
  Home: ({ batches }) => batches[0] ?? null,
  End: ({ batches }) => batches.at(-1) ?? null,
};

/** Returns the next batch in a direction, or the newest one if none is selected. */
function neighbour({ batches }: TimelineWindow, current: CompletedBatch | null, step: number): CompletedBatch | null {
  if (current === null) return batches.at(-1) ?? null;
  return batches[batches.indexOf(current) + step] ?? current;
}

function describeLook(look: Look | null): string {
  if (look === null) return HELP;
  if (look.batch === null) return "No batch ran in these two seconds.";
  return describeBatch(look.batch, ridersOf(look.view, look.batch));
}

/** Returns the window up to now, or up to shortly after the last activity. */
function currentWindow({ requests }: Playground): TimelineWindow {
  return timelineWindow(requests, Math.min(performance.now(), requests.lastActiveMs + AFTERGLOW_MS));
}

function timeAt(
  { offsetX, currentTarget }: PointerEvent & { readonly currentTarget: HTMLCanvasElement },
  view: TimelineWindow,
): number {
  return view.fromMs + (offsetX / currentTarget.clientWidth) * WINDOW_MS;
}

/** Redraws on activity, on inspection, and when the size or the colours change. */
function useDrawing(playground: Playground, look: Signal<Look | null>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = playground.theme.css.value;
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const redraw = new IdleRedraw(() => {
      const { view, batch } = look.peek() ?? { view: currentWindow(playground), batch: null };
      paintTimeline(element, view, batch, colours);
    });
    const observer = new ResizeObserver(() => {
      element.width = Math.round(element.clientWidth * devicePixelRatio);
      element.height = Math.round(element.clientHeight * devicePixelRatio);
      redraw.request();
    });
    observer.observe(element);
    const stopLooking = look.subscribe(() => redraw.request());
    const stopLog = playground.requests.onActivity(() => redraw.request());
    return () => {
      observer.disconnect();
      stopLooking();
      stopLog();
      redraw.stop();
    };
  }, [playground, look, colours]);
  return canvas;
}
