import type { Item, Outputs } from "framebatch";
import type { Pace } from "../settings.js";

/** What the page asks of a model, in the comparison and wherever a scene keeps it busy. */
export interface Load {
  /** Independent callers; each waits for its answer before it asks again. */
  readonly callers: number;
  /** Whether a caller asks again at once, or at the next frame. */
  readonly pace: Pace;
  /** The item of a caller's nth request. It must cost next to nothing: its time counts as the page's own. */
  readonly item: (caller: number, turn: number) => Item;
  /**
   * Draws a caller's newest answer into its tile, `size` pixels a side from the context's origin, already cleared. Once a
   * frame and tile at most, and part of what is measured: it must be quick. Without it a tile steps from shade to shade.
   */
  readonly draw?: (tile: TileDrawing) => void;
}

export interface TileDrawing {
  readonly context: CanvasRenderingContext2D;
  readonly size: number;
  readonly caller: number;
  /** Which of the caller's items this answers. */
  readonly turn: number;
  readonly outputs: Outputs;
  readonly colours: TileColours;
}

/** CSS colours of the theme in use. */
export interface TileColours {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
}
