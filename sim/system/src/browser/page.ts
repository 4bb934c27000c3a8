import { Realm } from "../kernel/realm.js";
import type { World } from "../kernel/world.js";
import type { Sources } from "../sources.js";
import { SimEvent, Target } from "../kernel/events.js";
import { frameStartAt } from "./frames.js";
import type { Origin } from "./origin.js";
import { commonScope, navigatorOf, ORIGIN, valuesFor } from "./scope.js";
import { hiddenFrame } from "./shared-worker.js";
import { Timers } from "./timers.js";
import { DedicatedWorker } from "./worker.js";

/** What the page half exports. */
export type PageHalf = typeof import("../../../../packages/framebatch/src/index.js");

/** A tab with the page half of framebatch. */
export class Page extends Realm {
  readonly scope: Record<string, unknown>;
  readonly framebatch: PageHalf;
  readonly timers: Timers;
  readonly #document = new Target();
  #isHidden = false;

  constructor({ page }: Sources) {
    super();
    this.timers = new Timers(this, () => this.#isHidden);
    this.scope = this.#makeScope();
    this.framebatch = page.code(valuesFor(page.names, this.scope));
  }

  override begin(world: World, origin: Origin, name: string): void {
    super.begin(world, origin, name);
    this.timers.begin();
    this.#document.clearListeners();
    this.#isHidden = false;
    this.renew();
  }

  get isHidden(): boolean {
    return this.#isHidden;
  }

  /** Number of listeners for events of the page and the document. */
  get listeners(): number {
    return this.countListeners() + this.#document.countListeners();
  }

  setHidden(isHidden: boolean): void {
    if (this.#isHidden === isHidden) return;
    this.#isHidden = isHidden;
    this.#document.dispatchEvent(new SimEvent("visibilitychange"));
  }

  #makeScope(): Record<string, unknown> {
    const scope = commonScope(this, this.timers);
    Object.assign(scope, {
      moduleUrl: `${ORIGIN}/app.js`,
      navigator: navigatorOf(this),
      location: new URL(`${ORIGIN}/`),
      document: this.#makeDocument(),
      Worker: DedicatedWorker,
      SharedWorker: Target,
    });
    return Object.assign(scope, { globalThis: scope, self: scope, window: scope });
  }

  #makeDocument(): object {
    const isHidden = () => this.#isHidden;
    const now = () => this.now();
    const target = this.#document;
    return {
      baseURI: `${ORIGIN}/`,
      currentScript: null,
      documentElement: { append: () => undefined },
      timeline: {
        get currentTime() {
          return frameStartAt(now());
        },
      },
      get visibilityState() {
        return isHidden() ? "hidden" : "visible";
      },
      createElement: () => hiddenFrame(this),
      addEventListener: target.addEventListener.bind(target),
      removeEventListener: target.removeEventListener.bind(target),
    };
  }
}
