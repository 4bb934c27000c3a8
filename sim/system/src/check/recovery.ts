import type { Life, Play } from "../play/play.js";
import type { Scene } from "../play/stagehand.js";
import type { Violation } from "../logs/violation.js";

/** Time in which a page notices that a worker has ended, and starts another, in milliseconds. */
const NOTICE_MS = 2000;

const JUDGED: readonly Life["kind"][] = ["model", "handled", "engine", "texts"];

/** While a model opens, or calls wait for it, and its worker has ended, its page starts another one soon. */
export class RecoveryCheck {
  readonly violations: Violation[] = [];
  readonly #play: Play;
  readonly #scene: Scene;
  readonly #since = new Map<number, number>();

  constructor(play: Play, scene: Scene) {
    this.#play = play;
    this.#scene = scene;
  }

  /** Looks after each task. */
  look(): void {
    const { nowMs } = this.#scene.world;
    for (const life of this.#play.lives) {
      if (!this.#isWithout(life)) this.#since.delete(life.index);
      else this.#measure(life.index, nowMs);
    }
  }

  #measure(index: number, nowMs: number): void {
    const since = this.#since.get(index) ?? nowMs;
    this.#since.set(index, since);
    if (nowMs - since <= NOTICE_MS) return;
    this.#since.set(index, Infinity);
    this.violations.push({ rule: "recovery", what: `subject ${index} has had no worker since ${since.toFixed(1)}` });
  }

  /** Whether somebody waits for a model that has no worker. Judged where every worker of the page is that of the model. */
  #isWithout(life: Life): boolean {
    const { kind, page, options, disposedAtMs } = life;
    const { fates, threads } = this.#scene.origin;
    // A worker that ends before it holds its lock is missed only after its time to start.
    if (fates.silenced > 0 || !this.#isAwaited(life)) return false;
    if (!JUDGED.includes(kind) || "shared" in options) return false;
    if (disposedAtMs !== null || page.isEnded || page.isHidden || page.isFrozen || page.busyUntilMs > 0) return false;
    return threads.runningWorkers.every(({ name }) => !name.startsWith(page.name));
  }

  #isAwaited({ opening, callable, index }: Life): boolean {
    const isAsked = (this.#play.ledger.open.get(index)?.size ?? 0) > 0;
    const isAlive = callable?.state === "ready" || callable?.state === "recovering";
    return opening === "pending" || (isAsked && isAlive);
  }
}

/** A hub that has come to rest holds as many workers as its budget allows, or one. Judged where a hub is alone. */
export function checkMemory({ lives }: Play, { origin }: Scene): Violation[] {
  const [life, ...others] = lives;
  const budget = life?.kind === "hub" ? life.options["memoryBudgetBytes"] : undefined;
  const workers = origin.threads.runningWorkers.length;
  if (typeof budget !== "number" || others.length > 0 || workers <= 1) return [];
  return [{ rule: "hub", what: `a hub with room for one model keeps ${workers} workers` }];
}
