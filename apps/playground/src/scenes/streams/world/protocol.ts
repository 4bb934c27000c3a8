export interface StreamSettings {
  readonly streams: number;
  readonly isMoving: boolean;
  /** Width of the canvas in its own pixels. */
  readonly width: number;
  readonly colours: StreamColours;
}

/** CSS colours. */
export interface StreamColours {
  readonly voice: string;
  readonly quiet: string;
  readonly waiting: string;
  readonly missed: string;
}

/** What happened in a world in a short time. */
export interface StreamFigures {
  readonly elapsedMs: number;
  readonly streams: number;
  /** Steps that have an answer. */
  readonly heard: number;
  /** Steps that were left out, because the model was behind. */
  readonly missed: number;
  /** The median time from a step to its answer; `null` without answers. */
  readonly answerMs: number | null;
  readonly runs: number;
}
