import { useComputed } from "@preact/signals";
import { CallerCount } from "../../controls/caller-count.js";
import { Switch } from "../../shell/switch.js";
import type { Digits } from "./digits.js";
import { TileWall } from "./tile-wall.js";

/** The wall of variants with its controls, and how many tiles read the same digit. */
export function WallPanel({ digits }: { digits: Digits }) {
  const { settings, comparing } = digits.playground;
  return (
    <section class="wall-panel" aria-label="Wall of variants">
      <div class="wall-controls">
        <CallerCount playground={digits.playground} label="Tiles" />
        <Switch isOn={settings.batching} isDisabled={comparing} testId="batching-switch">
          Batching
        </Switch>
      </div>
      <TileWall digits={digits} />
      <div class="wall-foot">
        <Agreement digits={digits} />
        <Switch isOn={settings.moving} isDisabled={comparing} testId="moving-switch">
          Keep it moving
        </Switch>
      </div>
    </section>
  );
}

function Agreement({ digits }: { digits: Digits }) {
  const text = useComputed(() => {
    if (digits.playground.comparing.value) return "The wall rests while both ways are measured.";
    if (digits.digit.value === null) return "Each tile asks the model for itself.";
    return `${digits.agreeing.value} of ${digits.playground.settings.tiles.value} tiles read ${digits.digit.value}`;
  });
  return <p class="agreement">{text}</p>;
}
