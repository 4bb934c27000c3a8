import { formatNumber } from "../format.js";
import type { LaneName, RateFigures } from "../measure/gain.js";
import { LANE_LABELS } from "./lane-labels.js";

interface SliceStripProps {
  readonly slices: readonly RateFigures[];
  /** The lane that runs now; `null` at the end. */
  readonly next: LaneName | null;
  /** Number of slices in total. */
  readonly total: number;
}

/** The slices in the order in which they ran; the height of each is its throughput. */
export function SliceStrip({ slices, next, total }: SliceStripProps) {
  const highest = Math.max(...slices.map((slice) => slice.throughput), 1);
  const missing = total - slices.length - (next === null ? 0 : 1);
  return (
    <figure class="strip">
      <div class="strip-axis" aria-hidden="true">
        <span>{slices.length === 0 ? "" : formatNumber(highest)}</span>
        <span>0</span>
      </div>
      <ol
        class="strip-slices"
        style={`--slices: ${total}`}
        aria-label="Predictions per second in each slice, in the order in which they ran"
      >
        {slices.map((slice, index) => (
          <MeasuredSlice key={index} slice={slice} highest={highest} />
        ))}
        {next === null ? null : <UnmeasuredSlice lane={next} />}
        {Array.from({ length: missing }, (_, index) => (
          <UnmeasuredSlice key={`missing ${index}`} lane={null} />
        ))}
      </ol>
      <figcaption>Predictions per second, slice by slice</figcaption>
    </figure>
  );
}

function MeasuredSlice({ slice: { lane, throughput }, highest }: { slice: RateFigures; highest: number }) {
  return (
    <li class={`strip-slice lane-${lane}`} title={LANE_LABELS[lane]}>
      <span class="strip-track">
        <span class="strip-bar" style={`block-size: ${(100 * throughput) / highest}%`} />
      </span>
      <span class="strip-value">
        <span class="visually-hidden">{LANE_LABELS[lane]}: </span>
        {formatNumber(throughput)}
      </span>
    </li>
  );
}

/** The current slice, in the colour of its lane, or a future one. */
function UnmeasuredSlice({ lane }: { lane: LaneName | null }) {
  return (
    <li class={lane === null ? "strip-slice" : `strip-slice strip-running lane-${lane}`} aria-hidden="true">
      <span class="strip-track">{lane === null ? null : <span class="strip-bar" />}</span>
    </li>
  );
}
