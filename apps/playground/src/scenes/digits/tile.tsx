import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Digits } from "./digits.js";
import { followDrawing } from "./follow-drawing.js";
import type { Reading } from "./read-digit.js";
import { variantPose } from "./variants.js";
import type { WallCanvas } from "./wall-canvas.js";

interface TileProps {
  readonly digits: Digits;
  /** Where its picture appears. `null` until the wall stands. */
  readonly wall: WallCanvas | null;
  readonly index: number;
}

/**
 * One variant of the drawing. It asks the model for itself and knows nothing of the other tiles, as a component of any
 * page would; batching happens behind `predict`. Signals change its text and colour without rendering it again.
 */
export function Tile({ digits, wall, index }: TileProps) {
  const reading = useSignal<Reading | null>(null);
  const label = useComputed(() => reading.value?.digit ?? "");
  const agrees = useComputed(() => reading.value !== null && reading.value.digit === digits.digit.value);
  const state = useComputed(() => (reading.value === null ? "waiting" : agrees.value ? "agrees" : "differs"));

  const colours = digits.playground.theme.colours.value;
  useEffect(() => {
    if (wall === null) return undefined;
    return followDrawing(
      digits,
      variantPose(index, digits.playground.settings.tiles.peek()),
      { key: `tile ${index}` },
      (picture, newReading) => {
        reading.value = newReading;
        const colour = agrees.peek() ? colours.accent : colours.differs;
        wall.paint(index, picture, colours.ink, { share: newReading?.confidence ?? 0, colour });
      },
    );
  }, [digits, wall, index, colours]);

  useSignalEffect(() => {
    if (!agrees.value) return undefined;
    digits.agreeing.value = digits.agreeing.peek() + 1;
    return () => {
      digits.agreeing.value = digits.agreeing.peek() - 1;
    };
  });

  return (
    <li class="tile" data-state={state}>
      <span class="tile-label">{label}</span>
    </li>
  );
}
