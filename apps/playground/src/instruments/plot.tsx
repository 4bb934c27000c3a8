import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { CssColours } from "../theme.js";
import { IdleRedraw } from "./idle-redraw.js";

const PLOT_FONT = "12px system-ui, sans-serif";

interface PlotProps {
  readonly caption: string;
  /** A description of the chart for screen readers, in a sentence. */
  readonly label: string;
  readonly height: number;
  /** `null` if there is no data yet. */
  readonly data: uPlot.AlignedData | null;
  /** Called again for each theme. The function itself must not change between renders. */
  readonly options: (colours: CssColours) => Omit<uPlot.Options, "width" | "height">;
  readonly colours: CssColours;
  /** What the marks of the chart mean. @default nothing */
  readonly legend?: ComponentChildren;
}

/** A uPlot chart that fills the available width and redraws new data while the browser is idle. */
export function Plot({ caption, label, height, data, options, colours, legend }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(data);
  const redraw = useRef<IdleRedraw | null>(null);
  latest.current = data;
  useEffect(() => redraw.current?.request(), [data]);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const size = () => ({ width: element.clientWidth, height });
    const chart = new uPlot({ ...options(colours), ...size() }, latest.current ?? [], element);
    const drawing = new IdleRedraw(() => chart.setData(latest.current ?? []));
    redraw.current = drawing;
    const observer = new ResizeObserver(() => chart.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawing.stop();
      chart.destroy();
    };
  }, [options, colours, height]);
  return (
    <figure class="chart">
      <figcaption>
        {caption} {legend}
      </figcaption>
      <div class="chart-body" style={`block-size: ${height}px`}>
        <div ref={host} role="img" aria-label={data === null ? `${caption}: no data yet` : label} />
        {data === null ? <p class="chart-empty">No batch has run yet</p> : null}
      </div>
    </figure>
  );
}

/** The size of a chart without its axes, in px. */
export function plotSize({ bbox }: uPlot): { width: number; height: number } {
  return { width: bbox.width / devicePixelRatio, height: bbox.height / devicePixelRatio };
}

/** The common options of all axes. */
export function plotAxis({ muted, line }: CssColours) {
  return { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: PLOT_FONT };
}
