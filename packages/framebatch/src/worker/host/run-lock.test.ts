import { describe, expect, it } from "vitest";
import { RunLock } from "./run-lock.js";

class ManualTimer {
  #nowMs = 0;
  #alarms: { readonly atMs: number; readonly ring: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  schedule(atMs: number, ring: () => void): () => void {
    this.#alarms.push({ atMs, ring });
    return () => undefined;
  }

  get waiting(): number {
    return this.#alarms.length;
  }

  async goTo(atMs: number): Promise<void> {
    this.#nowMs = atMs;
    const due = this.#alarms.filter((alarm) => alarm.atMs <= atMs);
    this.#alarms = this.#alarms.filter((alarm) => alarm.atMs > atMs);
    for (const { ring } of due) ring();
    await settled();
  }
}

/** Resolves after every promise that is ready has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function open() {
  const timer = new ManualTimer();
  const lock = new RunLock(timer);
  const log: string[] = [];
  const step = (name: string) => () => {
    log.push(name);
    return Promise.resolve();
  };
  return { timer, lock, log, step };
}

describe("a run", () => {
  it("begins when the reply to the one before has left, through all functions that pass it on", async () => {
    const { lock, log, step } = open();
    const reply = async () => {
      await lock.run(step("first"));
      for (let caller = 0; caller < 16; caller++) await Promise.resolve();
      log.push("replied");
    };
    await Promise.all([reply(), lock.run(step("second"))]);
    expect(log).toEqual(["first", "replied", "second"]);
  });

  it("begins when the reply has left also if it comes right after the run", async () => {
    const { lock, log, step } = open();
    await lock.run(step("first"));
    const second = lock.run(step("second"));
    for (let caller = 0; caller < 16; caller++) await Promise.resolve();
    log.push("replied");
    await second;
    expect(log).toEqual(["first", "replied", "second"]);
  });

  it("begins at once if the lock has been free for longer than a reply takes, and lets none overtake or overlap it", async () => {
    const { timer, lock, log, step } = open();
    await lock.run(step("first"));
    await timer.goTo(1);
    let end = (): void => undefined;
    const second = lock.run(() => {
      log.push("second");
      return new Promise<void>((resolve) => (end = resolve));
    });
    expect(log).toEqual(["first", "second"]);
    const third = lock.run(step("third"));
    await settled();
    expect(log).toEqual(["first", "second"]);
    end();
    await Promise.all([second, third]);
    expect(log).toEqual(["first", "second", "third"]);
  });

  it("leaves the lock free for the next one if its task throws before it returns a promise", async () => {
    const { timer, lock, log, step } = open();
    await lock.run(step("first"));
    await timer.goTo(1);
    const failing = lock.run(() => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await lock.run(step("second"));
    expect(log).toEqual(["first", "second"]);
  });

  it("waits until the lock is open, after those before it", async () => {
    let opens = (): void => undefined;
    const lock = new RunLock(new ManualTimer(), new Promise<void>((resolve) => (opens = resolve)));
    const log: string[] = [];
    const runs = ["first", "second"].map((name) => lock.run(async () => log.push(name)));
    await settled();
    expect(log).toEqual([]);
    opens();
    await Promise.all(runs);
    expect(log).toEqual(["first", "second"]);
  });
});

describe("background work", () => {
  it("starts after a tenth of a second without requests", async () => {
    const { timer, lock, log, step } = open();
    await lock.run(step("asked"));
    void lock.runWhenIdle(step("spare"));
    await timer.goTo(99);
    expect(log).toEqual(["asked"]);
    await timer.goTo(100);
    expect(log).toEqual(["asked", "spare"]);
  });

  it("waits again after each request", async () => {
    const { timer, lock, log, step } = open();
    await lock.run(step("first"));
    void lock.runWhenIdle(step("spare"));
    await timer.goTo(60);
    await lock.run(step("second"));
    await timer.goTo(159);
    expect(log).toEqual(["first", "second"]);
    await timer.goTo(160);
    expect(log).toEqual(["first", "second", "spare"]);
  });

  it("waits for pending requests without a timer", async () => {
    const { timer, lock, log, step } = open();
    let answer = (): void => undefined;
    const asked = lock.run(() => new Promise<void>((resolve) => (answer = resolve)));
    void lock.runWhenIdle(step("spare"));
    await settled();
    expect(timer.waiting).toBe(0);
    answer();
    await asked;
    await settled();
    await timer.goTo(100);
    expect(log).toEqual(["spare"]);
  });

  it("delays a request by at most one run", async () => {
    const { timer, lock, log, step } = open();
    let end = (): void => undefined;
    void lock.runWhenIdle(() => new Promise<void>((resolve) => (end = resolve)));
    await settled();
    const asked = lock.run(step("asked"));
    void lock.runWhenIdle(step("next"));
    end();
    await asked;
    await timer.goTo(100);
    expect(log).toEqual(["asked", "next"]);
  });

  it("continues after a failed run", async () => {
    const { lock, log, step } = open();
    await expect(lock.runWhenIdle(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await lock.runWhenIdle(step("next"));
    expect(log).toEqual(["next"]);
  });
});
