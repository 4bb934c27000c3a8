import type { Watchdog } from "@framebatch/host/watchdog.js";
import type { LoadRequest } from "../../transport/protocol.js";
import type { PendingRun } from "./run.js";

/** What a worker does, as its page knows it. */
type WorkerState =
  | { readonly name: "new" }
  /** Its script loads. `ready` is called when the script has run. */
  | { readonly name: "starting"; readonly stall: Watchdog; readonly ready: () => void }
  | { readonly name: "started" }
  | { readonly name: "loading"; readonly stall: Watchdog; readonly request: LoadRequest }
  | { readonly name: "loaded"; readonly request: LoadRequest }
  /** `interrupted`: the run that it executed when it died; `null` if there was none, or if its owner ended it. */
  | { readonly name: "ended"; readonly reason: unknown; readonly interrupted: PendingRun | null };

/** The life of a worker: its states and the transitions between them. docs/architecture.md draws it. `ended` is final. */
export class WorkerLife {
  /** Only the transitions below set it. */
  current: WorkerState = { name: "new" };

  /** See `WorkerState`. */
  get interrupted(): PendingRun | null {
    return this.current.name === "ended" ? this.current.interrupted : null;
  }

  /** `new` → `starting`. @param stall ends the worker if it says nothing */
  starting(stall: Watchdog, ready: () => void): void {
    this.#enter({ name: "starting", stall, ready });
  }

  /** The script has run. */
  ready(): void {
    if (this.current.name === "starting") this.current.ready();
  }

  /** `starting` → `started`. */
  started(): void {
    this.#enter({ name: "started" });
  }

  /** `started` → `loading`. @param stall ends the worker if it says nothing */
  loading(stall: Watchdog, request: LoadRequest): void {
    this.#enter({ name: "loading", stall, request });
  }

  /** `loading` → `loaded`, also with a failed load: the caller then ends the worker. */
  loaded(): void {
    if (this.current.name === "loading") this.#enter({ name: "loaded", request: this.current.request });
  }

  /** Any state → `ended`. */
  end(reason: unknown, interrupted: PendingRun | null): void {
    this.#enter({ name: "ended", reason, interrupted });
  }

  /** Notes that the worker has said something. @param timeoutMs how long it may be silent from now on, in milliseconds */
  heard(timeoutMs?: number): void {
    if ("stall" in this.current) this.current.stall.restart(timeoutMs);
  }

  /** @throws what ended the worker */
  throwIfEnded(): void {
    if (this.current.name === "ended") throw this.current.reason;
  }

  #enter(state: WorkerState): void {
    const hasEnded = this.current.name === "ended";
    const left = hasEnded ? state : this.current;
    if ("stall" in left) left.stall.stop();
    if (!hasEnded) this.current = state;
  }
}
