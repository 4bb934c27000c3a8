export interface WorldSettings {
  readonly cars: number;
  readonly isMoving: boolean;
  /** Width of the canvas in its own pixels. */
  readonly width: number;
  readonly colours: WorldColours;
}

/** CSS colours. */
export interface WorldColours {
  readonly road: string;
  readonly edge: string;
  readonly car: string;
  readonly crashed: string;
}

/** What happened in a world in a short time. */
export interface WorldFigures {
  readonly elapsedMs: number;
  readonly cars: number;
  readonly frames: number;
  readonly answers: number;
  /** Time from the start of a frame to the last answer in it, over all frames. */
  readonly busyMs: number;
  readonly crashes: number;
}
