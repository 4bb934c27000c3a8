import { FramebatchError } from "../../core/errors.js";
import type { Outage } from "../hybrid/outage.js";

/** Opens a server: at the start, and if that fails, again and again while requests are made. */
export class ServerDoor {
  readonly #outage: Outage;
  readonly #open: () => Promise<void>;
  #state: "closed" | "opening" | "open" = "closed";

  /** @param open opens the server. Throws a `FramebatchError` when it does not serve the model */
  constructor(outage: Outage, open: () => Promise<void>) {
    this.#outage = outage;
    this.#open = open;
  }

  /** Opens the server in the background, unless it is open or has failed just now. */
  wake(): void {
    if (this.#state === "closed" && this.#outage.mayTry) this.open().catch(() => undefined);
  }

  /** @throws what `open` throws */
  async open(): Promise<void> {
    this.#state = "opening";
    this.#outage.sent(this);
    try {
      await this.#open();
      this.#state = "open";
      this.#outage.answered();
    } catch (error) {
      this.#state = "closed";
      if (error instanceof FramebatchError) this.#outage.failed(this, error);
      else this.#outage.ended(this);
      throw error;
    }
  }
}
