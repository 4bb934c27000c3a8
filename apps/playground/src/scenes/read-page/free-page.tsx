import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { formatMs, formatNumber } from "../../format.js";
import { FrameWatch, type FrameFigures } from "./frame-watch.js";

/** How long the dot takes from one end of its line to the other and back, in ms. */
const ROUND_MS = 2000;

/** Proves that the models never block the page: a dot that the page itself moves in every frame, and its frames. */
export function FreePage() {
  const dot = useRef<HTMLSpanElement>(null);
  const figures = useSignal<FrameFigures | null>(null);
  useEffect(() => {
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const watch = new FrameWatch((nowMs) => isCalm || moveDot(dot.current, nowMs));
    const stopTelling = watch.figures.subscribe((latest) => (figures.value = latest));
    return () => {
      stopTelling();
      watch.stop();
    };
  }, []);
  const words = useComputed(() => (figures.value === null ? "…" : describe(figures.value)));
  return (
    <section class="free-page" aria-labelledby="free-page-heading" data-testid="free-page">
      <h2 id="free-page-heading">The page stays free</h2>
      <div class="free-road" aria-hidden="true">
        <span class="free-dot" ref={dot} />
      </div>
      <p class="picker-note">{words}</p>
    </section>
  );
}

function moveDot(dot: HTMLElement | null, nowMs: number): void {
  const share = (nowMs % ROUND_MS) / ROUND_MS;
  const place = share < 0.5 ? 2 * share : 2 - 2 * share;
  dot?.style.setProperty("transform", `translateX(${100 * place}%)`);
}

function describe({ perSecond, longestGapMs }: FrameFigures): string {
  return `The dot moves only in frames that this page paints: ${formatNumber(Math.round(perSecond))} a second, at most ${formatMs(Math.round(longestGapMs))} apart.`;
}
