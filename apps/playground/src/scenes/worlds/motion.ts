import { computed, effect, signal } from "@preact/signals";
import { measureFramePeriod } from "../../measure/frame-recorder.js";
import type { Playground } from "../../playground.js";
import { whenIdle } from "./when-idle.js";

/** Assumed until it is measured: a 60 Hz screen. */
const USUAL_PERIOD_MS = 1000 / 60;

/** When the worlds of a scene load their models and move: while they are on a screen and the visitor wants it. */
export class Motion {
  readonly framePeriodMs = signal(USUAL_PERIOD_MS);
  /** True while the worlds are on a screen. */
  readonly isInView = signal(false);
  readonly #playground: Playground;
  readonly #isWanted = computed(() => this.isInView.value && this.#playground.settings.moving.value);
  /** True from the first time that the worlds move on, and after the page has loaded. */
  readonly mayLoad = signal(false);
  readonly isMoving = computed(() => this.#isWanted.value && this.mayLoad.value && !this.#playground.comparing.value);
  readonly #disposed = new AbortController();
  readonly #stopPreparing: () => void;

  constructor(playground: Playground) {
    this.#playground = playground;
    this.#stopPreparing = effect(() => {
      if (this.#isWanted.value && !this.mayLoad.value) void this.#prepare();
    });
  }

  dispose(): void {
    this.#disposed.abort();
    this.#stopPreparing();
  }

  /** Tells whether an element can be seen. Returns a function that stops it. */
  watch(stage: Element): () => void {
    const listening = new AbortController();
    let intersects = false;
    const update = (): void => {
      this.isInView.value = intersects && !document.hidden;
    };
    const observer = new IntersectionObserver(([entry]) => {
      intersects = entry?.isIntersecting ?? false;
      update();
    });
    observer.observe(stage);
    document.addEventListener("visibilitychange", update, listening);
    return () => {
      observer.disconnect();
      listening.abort();
      this.isInView.value = false;
    };
  }

  async #prepare(): Promise<void> {
    await this.#playground.mayLoad;
    await whenIdle();
    this.framePeriodMs.value = await measureFramePeriod();
    if (!this.#disposed.signal.aborted) this.mayLoad.value = true;
  }
}
