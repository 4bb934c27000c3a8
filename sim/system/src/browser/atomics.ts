import type { Realm } from "../kernel/realm.js";
import { realmNow } from "../kernel/stage.js";

/** Usual time until a thread that waits hears of a change, in milliseconds. */
const WAKE_MS = 0.05;

/** A thread that waits for a change of a word. */
interface Waiter {
  readonly realm: Realm;
  readonly life: number;
  readonly wake: (value: "ok") => void;
}

type Words = Int32Array<SharedArrayBuffer>;

/** Those who wait, for each memory by word. */
const waiting = new WeakMap<SharedArrayBuffer, Map<number, Waiter[]>>();

/** The part of `Atomics` that framebatch uses. A waiter of a thread that has ended hears nothing. */
export const simAtomics = {
  load: (words: Words, index: number) => Atomics.load(words, index),
  store: (words: Words, index: number, value: number) => Atomics.store(words, index, value),
  add: (words: Words, index: number, value: number) => Atomics.add(words, index, value),
  waitAsync(words: Words, index: number, value: number) {
    if (Atomics.load(words, index) !== value) return { async: false, value: "not-equal" };
    const realm = realmNow();
    const woken = new Promise<"ok">((wake) => waitersOf(words, index).push({ realm, life: realm.life, wake }));
    return { async: true, value: woken };
  },
  notify(words: Words, index: number): number {
    const woken = waitersOf(words, index).splice(0);
    for (const { realm, life, wake } of woken) {
      const tell = () => realm.life === life && wake("ok");
      realm.world.reply(realm, realm.world.latency(WAKE_MS), "woken", tell);
    }
    return woken.length;
  },
};

function waitersOf({ buffer }: Words, index: number): Waiter[] {
  const byWord = waiting.get(buffer) ?? new Map<number, Waiter[]>();
  waiting.set(buffer, byWord);
  const waiters = byWord.get(index) ?? [];
  byWord.set(index, waiters);
  return waiters;
}
