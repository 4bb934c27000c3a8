import type { Playground } from "../playground.js";
import { MAX_TILES } from "../settings.js";

/** Sets the number of callers. The label is the scene's name for them: tiles, rows or callers. */
export function CallerCount({ playground, label }: { playground: Playground; label: string }) {
  const { settings, comparing } = playground;
  return (
    <label class="slider">
      <span class="slider-label">
        {label} <span class="slider-value">{settings.tiles}</span>
      </span>
      <input
        type="range"
        min={1}
        max={MAX_TILES}
        step={1}
        data-testid="tile-count"
        value={settings.tiles}
        disabled={comparing}
        onInput={({ currentTarget }) => (settings.tiles.value = currentTarget.valueAsNumber)}
      />
    </label>
  );
}
