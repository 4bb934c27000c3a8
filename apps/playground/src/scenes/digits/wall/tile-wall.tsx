import { useEffect, useRef, useState } from "preact/hooks";
import type { Digits } from "../digits.js";
import { Tile } from "./tile.js";
import { columnsFor, TILE_GAP, WallCanvas, wallSide } from "./wall-canvas.js";

/**
 * A square wall of variants of the drawing. The first tile is upright; the variation increases towards the last one.
 */
export function TileWall({ digits }: { digits: Digits }) {
  const tiles = digits.playground.settings.tiles.value;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [wall, setWall] = useState<WallCanvas | null>(null);
  useEffect(() => {
    if (canvas.current === null) return undefined;
    const next = new WallCanvas(canvas.current, tiles);
    setWall(next);
    return () => next.dispose();
  }, [tiles]);
  return (
    <div
      class="wall"
      data-large={columnsFor(tiles) <= 4}
      style={`--columns: ${columnsFor(tiles)}; --gap: ${TILE_GAP / wallSide(tiles)}`}
    >
      <ol class="tiles" data-testid="tiles" aria-label="Variants of the drawing with the predicted digits">
        {Array.from({ length: tiles }, (_, index) => (
          <Tile key={index} digits={digits} wall={wall} index={index} />
        ))}
      </ol>
      <canvas ref={canvas} class="wall-canvas" aria-hidden="true" />
    </div>
  );
}
