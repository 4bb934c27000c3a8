import type { Cancel, Clock } from "@framebatch/host/clock.js";
import { connect, type Transport } from "../../transport/transport.js";
import { isHidden, onPageLeft, onVisibilityChange } from "@framebatch/host/page.js";
import { pageClock } from "@framebatch/host/host-timer.js";
import type { WorkerSite } from "./worker-site.js";

interface SteadyTimer {
  readonly atMs: number;
  readonly fire: () => void;
}

/** A clock that must be closed when it is no longer needed. */
export interface SteadyClock extends Clock {
  close(): void;
}

/**
 * Creates a page clock whose timers stay on time in a hidden tab. Browsers delay the timers of a hidden page,
 * eventually by up to a minute, but not those of its workers. The worker of a model may be busy for a long time, so the
 * clock uses a worker of its own, which only wakes the page. That worker exists from the first timer that is set while
 * the tab is hidden until the tab is shown.
 *
 * A page that is being left is hidden too, but gets no such worker: a worker would keep the page out of the
 * back/forward cache, where no time passes.
 */
export function createSteadyClock(site: WorkerSite): SteadyClock {
  const hiddenTab = new HiddenTabTimers(site);
  return {
    ...pageClock,
    schedule(atMs, callback) {
      const timer = { atMs, fire };
      const cancel = pageClock.schedule(atMs, fire);
      function fire(): void {
        stop();
        callback();
      }
      function stop(): void {
        cancel();
        hiddenTab.delete(timer);
      }
      hiddenTab.add(timer);
      return stop;
    },
    close: () => hiddenTab.end(),
  };
}

/**
 * Fires the timers that are due while the tab is hidden. Listens for visibility changes from the first timer until the
 * clock is closed: adding and removing the listeners with each timer took a tenth of the page's time under load.
 */
class HiddenTabTimers {
  readonly #site: WorkerSite;
  readonly #timers = new Set<SteadyTimer>();
  #worker: Transport | null = null;
  #stopListening: Cancel | null = null;
  #isLeft = false;
  #isEnded = false;

  constructor(site: WorkerSite) {
    this.#site = site;
  }

  add(timer: SteadyTimer): void {
    // The end of a worker may set a timer after the clock has been closed. It needs no help: nobody waits for it.
    if (this.#isEnded) return;
    this.#timers.add(timer);
    if (this.#stopListening === null) this.#listen();
    if (this.#isNeeded) this.#askFor(timer);
  }

  delete(timer: SteadyTimer): void {
    this.#timers.delete(timer);
  }

  end(): void {
    this.#isEnded = true;
    this.#stopListening?.();
    this.#stopListening = null;
    this.#dismiss();
  }

  #listen(): void {
    const stops = [onVisibilityChange(this.#look), onPageLeft(this.#leave, this.#comeBack)];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
  }

  get #isNeeded(): boolean {
    return isHidden() && !this.#isLeft;
  }

  readonly #leave = (): void => {
    this.#isLeft = true;
    this.#dismiss();
  };

  readonly #comeBack = (): void => {
    this.#isLeft = false;
    this.#look();
  };

  readonly #look = (): void => {
    if (this.#isNeeded) for (const timer of this.#timers) this.#askFor(timer);
    else this.#dismiss();
  };

  #dismiss(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #askFor({ atMs }: SteadyTimer): void {
    const wakeInMs = Math.max(0, Math.ceil(atMs - pageClock.now())) + 1;
    (this.#worker ??= this.#open()).notify({ wakeInMs });
  }

  #open(): Transport {
    return connect(this.#site.start(), {
      onAnswer: () => undefined,
      onNotice: ({ notice }) => notice === "wake" && this.#fireDue(),
      onError: () => undefined,
      onUnreadable: () => undefined,
    });
  }

  #fireDue(): void {
    const nowMs = pageClock.now();
    for (const { atMs, fire } of this.#timers) if (atMs <= nowMs) fire();
  }
}
