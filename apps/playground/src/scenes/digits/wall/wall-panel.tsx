import { useComputed } from "@preact/signals";
import { CallerCount } from "../../../controls/caller-count.js";
import { Switch } from "../../../shell/switch.js";
import type { Digits } from "../digits.js";
import { TileWall } from "./tile-wall.js";

/** The wall of variants, its controls, and the number of tiles that agree with the drawing. */
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
          Keep moving
        </Switch>
      </div>
    </section>
  );
}

function Agreement({ digits }: { digits: Digits }) {
  const text = useComputed(() => {
    if (digits.playground.comparing.value) return "The wall pauses during the comparison.";
    if (digits.digit.value === null) return "Each tile calls the model on its own.";
    const tiles = digits.playground.settings.tiles.value;
    if (tiles === 1) return `The tile predicts ${digits.agreeing.value === 1 ? digits.digit.value : "another digit"}`;
    return `${digits.agreeing.value} of ${tiles} tiles predict ${digits.digit.value}`;
  });
  return <p class="agreement">{text}</p>;
}
