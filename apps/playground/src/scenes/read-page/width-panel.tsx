import { formatNumber } from "../../format.js";
import type { ReadPage } from "./read-page.js";
import { equalBatches, type WidthBatches } from "./width-batches.js";

/** The batches of the recognizer by the width of their lines: a bar for those of the same size, as long as they have lines. */
export function WidthPanel({ scene }: { scene: ReadPage }) {
  const widths = scene.reading.value?.batches.value ?? [];
  const most = Math.max(1, ...widths.map(linesOf));
  return (
    <section class="card page-widths" aria-labelledby="page-widths-heading">
      <h2 id="page-widths-heading">Batches by width</h2>
      <p class="picker-note">
        {widths.length === 0
          ? "Lines of the same width share a batch."
          : "3 × 2 are three batches of two lines. Widths are in pixels."}
      </p>
      <ul class="width-rows" data-testid="page-widths">
        {widths.map((batches) => (
          <WidthRow key={batches.width} batches={batches} most={most} />
        ))}
      </ul>
    </section>
  );
}

function WidthRow({ batches, most }: { batches: WidthBatches; most: number }) {
  const { width } = batches;
  return (
    <li class="width-row">
      <span class="width-name">{formatNumber(width)}</span>
      <span class="width-bars">
        {equalBatches(batches).map(({ size, count }) => (
          <span key={size} class="width-bar" style={`flex-basis: ${(100 * size * count) / most}%`}>
            {count} × {size}
          </span>
        ))}
      </span>
    </li>
  );
}

function linesOf({ sizes }: WidthBatches): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
