/** How long the prompt of a text may hold back the next tokens of the others in any case, in milliseconds: a frame. */
const FRAME_MS = 16;
/**
 * With fewer, reading the weights takes most of a run: of 17 million on one thread of WASM 10 ms, and a token 2.7 ms.
 */
const LEAST = 8;
const FIRST = 32;
/** How many times as many tokens the next piece has, or as few. */
const STEP = 1.5;
/** Of a prompt that holds nobody back. A run of more needs much memory. */
export const MOST = 512;

/**
 * How many tokens of prompts a run takes while other texts wait for their next tokens: as many as take a frame, or as
 * long as one of their steps, or longer by as many times as there are more texts that wait for their first token. So
 * time is divided by the number of texts that it serves, and prompts get at least half of it.
 */
export class PieceSize {
  #tokens = FIRST;
  #stepMs = 0;
  #share = 1;

  get tokens(): number {
    return this.#tokens;
  }

  /** @param ms how long the last step took */
  stepped(ms: number): void {
    this.#stepMs = ms;
  }

  /** Notes how many texts wait for their first token, and how many for the next one: at least one. */
  divide(waiting: number, stepping: number): void {
    this.#share = Math.max(1, waiting / stepping);
  }

  /** Learns from a run. @param tokens number of tokens of all its texts */
  took(tokens: number, ms: number): void {
    const mostMs = Math.max(FRAME_MS, this.#stepMs * this.#share);
    if (ms > mostMs && tokens <= this.#tokens) this.#tokens = Math.max(LEAST, Math.floor(tokens / STEP));
    // A larger piece still fits, since it takes at most that many times as long: reading the weights takes most of a
    // short one.
    else if (STEP * ms <= mostMs && tokens >= this.#tokens)
      this.#tokens = Math.min(MOST, Math.floor(this.#tokens * STEP));
  }
}
