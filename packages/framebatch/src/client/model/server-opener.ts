import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Outage } from "@framebatch/remote/router/outage.js";

/** Opens a server: at the start, and if that fails, again and again while requests are made. */
export class ServerOpener {
  readonly #outage: Outage;
  readonly #open: () => Promise<void>;
  readonly #signal: AbortSignal;
  #opening: Promise<void> | null = null;
  #isOpen = false;

  /**
   * @param open opens the server. Throws a `FramebatchError` when it does not serve the model
   * @param signal aborts when the model has ended: what fails then says nothing about the server
   */
  constructor(outage: Outage, open: () => Promise<void>, signal: AbortSignal) {
    this.#outage = outage;
    this.#open = open;
    this.#signal = signal;
  }

  /** Opens the server in the background, unless it is open or has failed just now, or the model has ended. */
  openInBackground(): void {
    if (this.#isOpen || this.#opening !== null || this.#signal.aborted) return;
    if (this.#outage.mayTry) this.open().catch(() => undefined);
  }

  /** Opens the server. While it is being opened, a further call waits for the same end. @throws what `open` throws */
  open(): Promise<void> {
    return (this.#opening ??= this.#attempt().finally(() => (this.#opening = null)));
  }

  async #attempt(): Promise<void> {
    this.#outage.sent(this);
    const opened = this.#outage.opening();
    try {
      await this.#open();
      this.#isOpen = true;
      opened();
    } catch (error) {
      if (error instanceof FramebatchError && !this.#signal.aborted) this.#outage.failed(this, error);
      else this.#outage.ended(this);
      throw error;
    }
  }
}
