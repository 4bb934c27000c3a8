import type { Page } from "../browser/page.js";
import type { Life, Play } from "../play/play.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Scene } from "../play/stagehand.js";
import type { Violation } from "../logs/violation.js";

/** Time in which workers return what they have, and end, in milliseconds. */
const LEAVE_MS = 1000;

/** Once everything on a page has been disposed of, its workers end soon, also those that were about to load a model. */
export class LeavingCheck {
  readonly violations: Violation[] = [];
  readonly #play: Play;
  readonly #scene: Scene;
  readonly #told = new Set<Page>();
  /** Since when the timers of each page ring in time; `Infinity` while they do not. */
  readonly #inTimeSinceMs = new Map<Page, number>();

  constructor(play: Play, scene: Scene) {
    this.#play = play;
    this.#scene = scene;
  }

  /** Plans a look after each time in which workers leave, because nothing else may happen then. */
  plan({ steps }: Scenario): void {
    for (const { do: what, atMs } of steps)
      if (what === "dispose" || what === "thaw")
        this.#scene.world.post(null, atMs + LEAVE_MS + 1, "look", () => undefined);
  }

  /** Looks after each task. */
  look(): void {
    for (const page of this.#scene.pages) {
      this.#watch(page);
      if (this.#told.has(page) || !this.#isOver(page)) continue;
      const left = this.#scene.origin.threads.runningWorkers.filter(({ name }) => name.startsWith(`${page.name}/`));
      if (left.length === 0) continue;
      this.#told.add(page);
      this.violations.push({ rule: "rest", what: `${left.length} workers are left after all has been disposed of` });
    }
  }

  #watch(page: Page): void {
    const isLate = page.isFrozen || page.isHidden || page.busyUntilMs > 0;
    if (isLate) this.#inTimeSinceMs.set(page, Infinity);
    else if (this.#inTimeSinceMs.get(page) === Infinity) this.#inTimeSinceMs.set(page, this.#scene.world.nowMs);
  }

  /** Whether all was disposed of some time ago, and the timers of the page have rung in time since then. */
  #isOver(page: Page): boolean {
    const lives = this.#play.lives.filter((life) => life.page === page);
    if (page.isEnded || lives.length === 0) return false;
    const sinceMs = Math.max(this.#inTimeSinceMs.get(page) ?? 0, ...lives.map(leftAtMs));
    return sinceMs + LEAVE_MS < this.#scene.world.nowMs;
  }
}

function leftAtMs({ disposedAtMs, opening, opened }: Life): number {
  return opening === "failed" ? opened.untilMs : (disposedAtMs ?? Infinity);
}
