import { useComputed, type ReadonlySignal } from "@preact/signals";
import { formatNumber } from "../../format.js";
import type { LaneName } from "../../measure/gain.js";
import { CAR_COUNTS, positionOf, stopOf } from "./car-counts.js";
import type { Cars } from "./cars.js";
import type { Limit } from "./limit.js";

/** Sets the number of cars, and marks on the same scale where each side breaks. */
export function CountSlider({ cars }: { cars: Cars }) {
  const { settings, comparing } = cars.playground;
  return (
    <div class="cars-count">
      <label class="slider">
        <span class="slider-label">
          Cars <span class="slider-value">{useComputed(() => formatNumber(settings.cars.value))}</span>
        </span>
        <span class="cars-range">
          <input
            type="range"
            min={0}
            max={CAR_COUNTS.length - 1}
            step={1}
            data-testid="car-count"
            aria-valuetext={useComputed(() => `${settings.cars.value} cars`)}
            value={useComputed(() => stopOf(settings.cars.value))}
            disabled={comparing}
            onInput={({ currentTarget }) => {
              settings.cars.value = CAR_COUNTS[currentTarget.valueAsNumber] ?? settings.cars.peek();
            }}
          />
          <LimitBar lane="batched" limit={cars.limits.batched} />
          <LimitBar lane="single" limit={cars.limits.single} />
        </span>
      </label>
      <p class="cars-limits" data-testid="car-limits">
        {useComputed(() => describeLimits(cars))}
      </p>
    </div>
  );
}

/** A bar below the slider, as far as every frame comes in time. */
function LimitBar({ lane, limit }: { lane: LaneName; limit: ReadonlySignal<Limit> }) {
  const end = useComputed(() => {
    const { holds, breaksAt } = limit.value;
    return `inline-size: ${100 * positionOf(breaksAt ?? holds)}%`;
  });
  const isBroken = useComputed(() => limit.value.breaksAt !== null);
  return (
    <span class="cars-limit" data-lane={lane} data-broken={isBroken} aria-hidden="true">
      <span style={end} />
    </span>
  );
}

function describeLimits({ limits, framePeriodMs }: Cars): string {
  const [batched, single] = [limits.batched.value, limits.single.value];
  if (!isKnown(batched) && !isKnown(single)) return "Bars show how many cars each side carries without missing frames.";
  const rate = Math.round(1000 / framePeriodMs.value);
  return `At ${rate} frames a second, batching ${describe(batched)}; one call at a time ${describe(single)}.`;
}

function isKnown({ holds, breaksAt }: Limit): boolean {
  return holds > 0 || breaksAt !== null;
}

function describe({ holds, breaksAt }: Limit): string {
  if (breaksAt !== null) return `breaks at about ${formatNumber(breaksAt)} cars`;
  return holds === 0 ? "is not measured yet" : `carries ${formatNumber(holds)} cars or more`;
}
