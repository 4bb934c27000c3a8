import type { ComponentChildren } from "preact";

/** The mark of a legend, drawn as in the chart. */
export type Mark = "line" | "small dot" | "dot" | "ring" | "bar" | "late";

const SHAPES: Readonly<Record<Mark, ComponentChildren>> = {
  line: <path class="mark-line" d="M1 7h12" />,
  "small dot": <circle class="mark-small" cx="7" cy="7" r="2" />,
  dot: <circle class="mark-dot" cx="7" cy="7" r="3" />,
  ring: <circle class="mark-ring" cx="7" cy="7" r="5" />,
  bar: <rect class="mark-dot" x="1" y="4" width="12" height="6" />,
  late: <rect class="mark-late" x="5" y="1" width="3" height="12" />,
};

/** Explains the marks of a chart in the line of its caption. */
export function Legend({ entries }: { entries: readonly (readonly [Mark, string])[] }) {
  return (
    <span class="legend">
      {entries.map(([mark, words]) => (
        <span key={mark} class="legend-entry">
          <svg viewBox="0 0 14 14" aria-hidden="true">
            {SHAPES[mark]}
          </svg>
          {words}
        </span>
      ))}
    </span>
  );
}
