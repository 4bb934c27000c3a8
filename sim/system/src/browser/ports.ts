import { realmNow, worldNow } from "../kernel/stage.js";
import type { Realm } from "../kernel/realm.js";
import type { Lane } from "../kernel/world.js";
import { cloneMessage } from "./clone.js";
import { SimMessageEvent, Target } from "../kernel/events.js";

/** Usual time of a message between two threads, in milliseconds. */
export const MESSAGE_MS = 0.1;

type TransferTerms = Iterable<unknown> | { readonly transfer: readonly unknown[] | undefined };

/** Returns the transfer list of a call of `postMessage`. */
export function transferOf(terms: TransferTerms = []): readonly unknown[] {
  return "transfer" in terms ? (terms.transfer ?? []) : [...terms];
}

/** One end of a channel, wherever it is now. */
class PortEnd {
  other!: PortEnd;
  realm: Realm;
  life: number;
  isClosed = false;
  isStarted = false;
  port: SimPort | null = null;
  readonly waiting: SimMessageEvent[] = [];
  readonly lane: Lane = { atMs: 0, order: 0 };
  /** Messages that are on their way, the oldest first. */
  readonly #sent: SimMessageEvent[] = [];

  constructor(realm: Realm) {
    this.realm = realm;
    this.life = realm.life;
  }

  /** Takes a message, which arrives after `delayMs` where the port is then. */
  send(event: SimMessageEvent, delayMs: number): void {
    this.#sent.push(event);
    this.#expect(delayMs);
  }

  /** Moves to another realm. What is on its way follows. */
  moveTo(receiver: Realm): void {
    this.realm = receiver;
    this.life = receiver.life;
    this.isStarted = false;
    for (let left = this.#sent.length; left > 0; left--) this.#expect(worldNow().latency(MESSAGE_MS));
  }

  #expect(delayMs: number): void {
    const { realm } = this;
    const arrive = () => {
      if (this.realm === realm) this.#deliver(this.#sent.shift());
    };
    worldNow().post(realm, delayMs, "message", arrive, this.lane);
  }

  #deliver(event: SimMessageEvent | undefined): void {
    if (this.isClosed || event === undefined) return;
    if (this.isStarted && this.port !== null) this.port.dispatchEvent(event);
    else this.waiting.push(event);
  }

  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    const world = worldNow();
    for (const event of this.waiting.splice(0)) {
      world.post(this.realm, 0, "queued message", () => this.port?.dispatchEvent(event), this.lane);
    }
  }
}

/** A `MessagePort`. Its code may still hold it after it has moved; it is then useless. */
export class SimPort extends Target {
  #end: PortEnd | null;

  constructor(end: PortEnd) {
    super();
    this.#end = end;
    end.port = this;
  }

  postMessage(message: unknown, terms?: TransferTerms): void {
    const end = this.#end;
    if (end === null) return;
    const receiver = end.other;
    const data = cloneMessage(message, transferOf(terms), receiver.realm);
    // In a thread that hangs, code goes on only here.
    if (end.isClosed || end.realm.hangs) return;
    const world = worldNow();
    const isOwn = receiver.realm === end.realm;
    const event = new SimMessageEvent("message", { data });
    if (receiver.realm.life === receiver.life) receiver.send(event, isOwn ? 0 : world.latency(MESSAGE_MS));
  }

  start(): void {
    this.#end?.start();
  }

  close(): void {
    // What it has sent before still arrives.
    if (this.#end !== null) this.#end.isClosed = true;
  }

  set onmessage(listener: (event: unknown) => void) {
    this.addEventListener("message", listener);
    this.start();
  }

  /** See `Movable`. */
  moveTo(receiver: Realm): SimPort {
    const end = this.#end;
    if (end === null) throw new DOMException("the port has moved", "DataCloneError");
    this.#end = null;
    end.moveTo(receiver);
    return new SimPort(end);
  }

  protected override report(error: unknown): void {
    realmNow().reportError(error);
  }
}

/** A `MessageChannel` whose ends are both in the realm that makes it. */
export class SimChannel {
  readonly port1: SimPort;
  readonly port2: SimPort;

  constructor() {
    const [first, second] = pairOf(realmNow(), realmNow());
    this.port1 = first;
    this.port2 = second;
  }
}

/** Returns two entangled ports, one in each realm. */
export function pairOf(one: Realm, other: Realm): readonly [SimPort, SimPort] {
  const [first, second] = [new PortEnd(one), new PortEnd(other)];
  first.other = second;
  second.other = first;
  return [new SimPort(first), new SimPort(second)];
}
