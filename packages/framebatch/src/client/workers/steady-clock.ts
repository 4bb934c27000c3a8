import type { Cancel } from "../../core/clock.js";
import { connect } from "../../transport/comlink.js";
import type { Transport } from "../../transport/transport.js";
import { isHidden, onPageLeft, onVisibilityChange } from "../page/host.js";
import { createPageClock, type PageClock } from "../page/page-clock.js";
import type { WorkerSite } from "./worker-site.js";

interface SteadyTimer {
  readonly atMs: number;
  readonly fire: () => void;
}

/**
 * A page's clock whose timers come on time in a hidden tab, too. Browsers hold a hidden page's own timers back, in the end by
 * as much as a minute, but not those of its workers. The worker of a model may be busy for long, so this one is there for
 * nothing but to wake us: from the first timer that is set while the tab is hidden until the tab is shown. None is started for a
 * page that is being left, which is hidden too: it would keep the page out of the back/forward cache, where no time passes.
 */
export function createSteadyClock(site: WorkerSite): PageClock {
  const clock = createPageClock();
  const waker = new Waker(site, clock);
  return {
    ...clock,
    schedule(atMs, callback) {
      const timer = { atMs, fire };
      const cancel = clock.schedule(atMs, fire);
      function fire(): void {
        stop();
        callback();
      }
      function stop(): void {
        cancel();
        waker.delete(timer);
      }
      waker.add(timer);
      return stop;
    },
    close() {
      waker.end();
      clock.close();
    },
  };
}

class Waker {
  readonly #site: WorkerSite;
  readonly #clock: PageClock;
  readonly #timers = new Set<SteadyTimer>();
  #worker: Transport | null = null;
  #stopListening: Cancel | null = null;
  #isLeft = false;

  constructor(site: WorkerSite, clock: PageClock) {
    this.#site = site;
    this.#clock = clock;
  }

  add(timer: SteadyTimer): void {
    this.#timers.add(timer);
    if (this.#stopListening === null) this.#listen();
    if (this.#isNeeded) this.#askFor(timer);
  }

  delete(timer: SteadyTimer): void {
    this.#timers.delete(timer);
    // Nobody is told of a tab that nothing waits in.
    if (this.#timers.size === 0 && this.#worker === null) this.end();
  }

  end(): void {
    this.#stopListening?.();
    this.#stopListening = null;
    this.#isLeft = false;
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
    if (this.#timers.size === 0 && this.#worker === null) this.end();
  };

  #dismiss(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #askFor({ atMs }: SteadyTimer): void {
    const wakeInMs = Math.max(0, Math.ceil(atMs - this.#clock.now())) + 1;
    (this.#worker ??= this.#open()).notify({ wakeInMs });
  }

  #open(): Transport {
    return connect(this.#site.start(), {
      onNotice: ({ notice }) => notice === "wake" && this.#fireDue(),
      onError: () => undefined,
      onUnreadable: () => undefined,
    });
  }

  #fireDue(): void {
    const nowMs = this.#clock.now();
    for (const { atMs, fire } of this.#timers) if (atMs <= nowMs) fire();
  }
}
