import { realmNow } from "../kernel/stage.js";
import type { Realm } from "../kernel/realm.js";
import type { Lane } from "../kernel/world.js";
import { cloneMessage } from "./clone.js";
import { eventWith, SimMessageEvent, Target } from "../kernel/events.js";
import { MESSAGE_MS, transferOf } from "./ports.js";
import type { WorkerRealm } from "./worker-realm.js";

/** Usual time until a worker's script has run, in milliseconds. */
const START_MS = 3;

/** A `Worker`: the page's end. */
export class DedicatedWorker extends Target {
  readonly #page: Realm;
  readonly #life: number;
  readonly #worker: WorkerRealm;
  readonly #workerLife: number;
  readonly #toWorker: Lane = { atMs: 0, order: 0 };
  readonly #toPage: Lane = { atMs: 0, order: 0 };

  constructor(address: unknown) {
    super();
    const page = realmNow();
    const { world, origin } = page;
    this.#page = page;
    this.#life = page.life;
    const worker = origin.threads.worker();
    this.#worker = worker;
    worker.begin(world, origin, `${page.name}/worker`);
    this.#workerLife = worker.life;
    page.children.add(worker);
    worker.ends.add(() => page.children.delete(worker));
    if (page.isFrozen) worker.freeze();
    worker.onUncaught = ({ kind, thrown }) => this.#fail(`${kind}: ${String(thrown)}`);
    page.ends.add(() => this.terminate());
    const start = () => this.#start(address);
    world.post(worker, world.latency(START_MS), "start", start, this.#toWorker);
  }

  postMessage(message: unknown, terms?: readonly unknown[]): void {
    const data = cloneMessage(message, transferOf(terms), this.#worker);
    if (this.#worker.life !== this.#workerLife) return;
    const { world } = this.#page;
    const hear = () => this.#worker.hear(new SimMessageEvent("message", { data }));
    world.post(this.#worker, world.latency(MESSAGE_MS), "to worker", hear, this.#toWorker);
  }

  terminate(): void {
    if (this.#worker.life === this.#workerLife) this.#worker.end();
  }

  #start(address: unknown): void {
    const postMessage = (message: unknown, terms?: readonly unknown[]) => this.#say(message, terms);
    const script = this.#page.origin.scripts.get(String(address));
    this.#worker.start({ sharedName: null, postMessage, script });
  }

  #say(message: unknown, terms?: readonly unknown[]): void {
    const data = cloneMessage(message, transferOf(terms), this.#page);
    if (this.#page.life !== this.#life || this.#worker.hangs) return;
    const { world } = this.#page;
    const hear = () => this.dispatchEvent(new SimMessageEvent("message", { data }));
    world.post(this.#page, world.latency(MESSAGE_MS), "to page", hear, this.#toPage);
  }

  #fail(message: string): void {
    const { world } = this.#page;
    if (this.#page.life !== this.#life) return;
    const event = eventWith("error", { message });
    world.post(this.#page, world.latency(MESSAGE_MS), "worker error", () => this.dispatchEvent(event), this.#toPage);
  }

  protected override report(error: unknown): void {
    this.#page.reportError(error);
  }
}
