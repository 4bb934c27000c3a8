import type { Realm } from "../kernel/realm.js";
import { realmNow } from "../kernel/stage.js";
import { simAtomics } from "./atomics.js";
import { SimBlob } from "./blob.js";
import { Broadcast } from "./broadcast.js";
import { simCrypto } from "./crypto.js";
import { SimErrorEvent, SimEvent, SimMessageEvent } from "../kernel/events.js";
import { simFetch, SimResponse } from "./network.js";
import { SimChannel, SimPort } from "./ports.js";
import type { Timers } from "./timers.js";

/** The origin of all pages. */
export const ORIGIN = "https://app.example";

/** Time of the first life, in milliseconds since 1970. */
const EPOCH_MS = Date.UTC(2026, 0, 1);

/** The global names that both a page and a worker have. The names of the code's parameters are their keys. */
export function commonScope(realm: Realm, timers: Timers): Record<string, unknown> {
  const now = () => EPOCH_MS + realm.world.nowMs;
  class SimDate extends Date {
    constructor(value: number = now()) {
      super(value);
    }
    static override now = now;
  }
  class SimUrl extends URL {
    static override createObjectURL = () => `blob:${ORIGIN}/${realm.world.below(1e9)}`;
    static override revokeObjectURL = () => undefined;
  }
  return {
    origin: ORIGIN,
    isSecureContext: true,
    get crossOriginIsolated() {
      return realm.origin.isIsolated;
    },
    Atomics: simAtomics,
    performance: { now: () => realm.now(), measure: () => undefined, clearMeasures: () => undefined },
    setTimeout: timers.set,
    clearTimeout: timers.clear,
    addEventListener: realm.addEventListener.bind(realm),
    removeEventListener: realm.removeEventListener.bind(realm),
    dispatchEvent: realm.dispatchEvent.bind(realm),
    onNewLife: realm.onNewLife,
    reportError: (error: unknown) => realm.reportError(error),
    fetch: simFetch,
    crypto: simCrypto,
    indexedDB: { open: (name: string, version?: number) => realmNow().origin.databases.open(name, version) },
    Blob: SimBlob,
    Response: SimResponse,
    TextEncoder,
    TextDecoder,
    MessageChannel: SimChannel,
    MessagePort: SimPort,
    MessageEvent: SimMessageEvent,
    ErrorEvent: SimErrorEvent,
    Event: SimEvent,
    BroadcastChannel: Broadcast,
    Date: SimDate,
    URL: SimUrl,
    FinalizationRegistry: NeverFinalized,
    Math: Object.create(Math, { random: { value: () => realm.world.draw() } }),
    console: { warn: () => undefined, log: () => undefined, error: () => undefined, info: () => undefined },
  };
}

/** A registry whose objects no collector finds: when one does, no seed decides. */
class NeverFinalized {
  register(): void {}
  unregister(): void {}
}

/** The part of `navigator` that framebatch uses: that of Chromium on a device with a GPU. */
export function navigatorOf(realm: Realm): object {
  return {
    get locks() {
      return realm.origin.locks;
    },
    get onLine() {
      return realm.origin.network.isOnline;
    },
    gpu: { requestAdapter: async () => ({ info: { description: "simulated GPU", isFallbackAdapter: false } }) },
    userAgentData: {},
    hardwareConcurrency: 4,
    deviceMemory: 8,
    connection: { downlink: 1000, saveData: false },
    storage: { estimate: async () => ({ quota: realm.origin.databases.faults.quotaBytes, usage: 0 }) },
  };
}

/** A thread that runs code with global names of its own. */
export type Code<Exports> = (values: readonly unknown[]) => Exports;

/** Returns the values of the parameters of compiled code. */
export function valuesFor(names: readonly string[], scope: Readonly<Record<string, unknown>>): unknown[] {
  return names.map((name) => scope[name]);
}
