/** How long the prompt of a text may hold back the next tokens of the others, in milliseconds: a frame. */
const FRAME_MS = 16;
/** A run takes about as long for fewer tokens: it reads all weights. */
const LEAST = 16;
const FIRST = 32;
/** Of a prompt that holds nobody back. A run of more needs much memory. */
export const MOST = 512;

/** How many tokens of prompts a run takes while other texts wait for their next tokens: learned from the runs so far. */
export class PieceSize {
  #tokens = FIRST;

  get tokens(): number {
    return this.#tokens;
  }

  /** Learns from a run. A short one tells nothing of longer ones. @param tokens number of tokens of all its texts */
  learn(tokens: number, ms: number): void {
    if (ms > FRAME_MS && tokens <= this.#tokens) this.#tokens = Math.max(LEAST, tokens >> 1);
    else if (ms < FRAME_MS / 2 && tokens >= this.#tokens) this.#tokens = Math.min(MOST, this.#tokens * 2);
  }
}
