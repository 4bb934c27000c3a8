import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Digits } from "../digits.js";
import { followDrawing } from "../pad/follow-drawing.js";
import type { Reading } from "../pad/read-digit.js";
import { variantPose } from "./variants.js";
import type { WallCanvas } from "./wall-canvas.js";

interface TileProps {
  readonly digits: Digits;
  /** The canvas for the picture; `null` until the wall is mounted. */
  readonly wall: WallCanvas | null;
  readonly index: number;
}

/**
 * One variant of the drawing. It calls the model independently of the other tiles, as a component of any page does.
 * `predict` hides the batching. Signals update its text and colour without a new render.
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
