import type { GenerateOptions, Item, Outputs } from "framebatch";
import type { Pace } from "../settings.js";

/** A load for a model, in the comparison or while a scene keeps the model busy. */
export interface Load {
  /** Number of independent callers. Each waits for its answer before its next request. */
  readonly callers: number;
  /** Whether a caller sends its next request immediately or at the next frame. */
  readonly pace: Pace;
  /** The item of a caller's nth request. It must be cheap: its time counts as the page's own. */
  readonly item: (caller: number, turn: number) => Item;
  /**
   * Whether each caller is a stream with a state: its requests are the steps of a sequence of its own.
   * @default false
   */
  readonly hasSequences?: boolean;
  /**
   * The options of the texts, if each request is a text, whose prompt is the item.
   * @default each request is a prediction
   */
  readonly texts?: Pick<GenerateOptions, "maxNewTokens" | "stop"> | undefined;
  /**
   * Draws a caller's latest answer into its tile, a cleared square of `size` pixels at the origin of the context. It
   * runs at most once per frame and tile and is part of the measurement, so it must be fast. Without it, a tile shows a
   * clock hand that advances with each answer.
   */
  readonly draw?: (tile: TileDrawing) => void;
}

export interface TileDrawing {
  readonly context: CanvasRenderingContext2D;
  readonly size: number;
  readonly caller: number;
  /** The index of the caller's request that this answers. */
  readonly turn: number;
  readonly outputs: Outputs;
  readonly colours: TileColours;
}

/** CSS colours of the current theme. */
export interface TileColours {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
}
