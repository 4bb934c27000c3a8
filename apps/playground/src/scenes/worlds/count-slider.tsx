import { useComputed, type ReadonlySignal, type Signal } from "@preact/signals";
import { capitalise, formatNumber } from "../../format.js";
import type { LaneName } from "../../measure/gain.js";
import type { Counts } from "./counts.js";
import type { Limit } from "./limit.js";

export type Limits = Readonly<Record<LaneName, ReadonlySignal<Limit>>>;

interface CountSliderProps {
  /** The name of one caller, for example "car". */
  readonly caller: string;
  readonly counts: Counts;
  readonly value: Signal<number>;
  readonly isDisabled: ReadonlySignal<boolean>;
  readonly limits: Limits;
  /** What it means that a side carries its callers, for example "At 60 frames a second". */
  readonly standard: ReadonlySignal<string>;
}

/** Sets the number of callers, and marks on the same scale where each side breaks. */
export function CountSlider({ caller, counts, value, isDisabled, limits, standard }: CountSliderProps) {
  const [unit, testId] = [`${caller}s`, `${caller}-count`];
  return (
    <div class="world-count">
      <label class="slider">
        <span class="slider-label">
          {capitalise(unit)} <span class="slider-value">{useComputed(() => formatNumber(value.value))}</span>
        </span>
        <span class="world-range">
          <input
            type="range"
            min={0}
            max={counts.values.length - 1}
            step={1}
            data-testid={testId}
            aria-valuetext={useComputed(() => `${value.value} ${unit}`)}
            value={useComputed(() => counts.stopOf(value.value))}
            disabled={isDisabled}
            onInput={({ currentTarget }) => {
              value.value = counts.values[currentTarget.valueAsNumber] ?? value.peek();
            }}
          />
          <LimitBar lane="batched" counts={counts} limit={limits.batched} />
          <LimitBar lane="single" counts={counts} limit={limits.single} />
        </span>
      </label>
      <p class="world-limits" data-testid={`${testId}-limits`}>
        {useComputed(() => describeLimits(limits.batched.value, limits.single.value, unit, standard.value))}
      </p>
    </div>
  );
}

/** A bar below the slider, as far as every answer comes in time. */
function LimitBar({ lane, counts, limit }: { lane: LaneName; counts: Counts; limit: ReadonlySignal<Limit> }) {
  const end = useComputed(() => {
    const { holds, breaksAt } = limit.value;
    return `inline-size: ${100 * counts.positionOf(breaksAt ?? holds)}%`;
  });
  const isBroken = useComputed(() => limit.value.breaksAt !== null);
  return (
    <span class="world-limit" data-lane={lane} data-broken={isBroken} aria-hidden="true">
      <span style={end} />
    </span>
  );
}

function describeLimits(batched: Limit, single: Limit, unit: string, standard: string): string {
  if (!isKnown(batched) && !isKnown(single)) return `Bars show how many ${unit} each side carries.`;
  return `${standard}, batching ${describe(batched, unit)}; one call at a time ${describe(single, unit)}.`;
}

function isKnown({ holds, breaksAt }: Limit): boolean {
  return holds > 0 || breaksAt !== null;
}

function describe({ holds, breaksAt }: Limit, unit: string): string {
  if (breaksAt !== null) return `breaks at about ${formatNumber(breaksAt)} ${unit}`;
  return holds === 0 ? "is not measured yet" : `carries ${formatNumber(holds)} ${unit} or more`;
}
