import { describe, expect, it } from "vitest";
import { OrtLock, SpareTime } from "../../../src/worker/host/run-lock.js";

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

/** Lets every promise that can go on do so. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function open() {
  const timer = new ManualTimer();
  const spareTime = new SpareTime(new OrtLock(), timer);
  const log: string[] = [];
  const step = (name: string) => () => {
    log.push(name);
    return Promise.resolve();
  };
  return { timer, spareTime, log, step };
}

describe("spare time", () => {
  it("begins when nobody has asked for a tenth of a second", async () => {
    const { timer, spareTime, log, step } = open();
    await spareTime.asked(step("asked"));
    void spareTime.run(step("spare"));
    await timer.goTo(99);
    expect(log).toEqual(["asked"]);
    await timer.goTo(100);
    expect(log).toEqual(["asked", "spare"]);
  });

  it("begins anew whenever somebody asks", async () => {
    const { timer, spareTime, log, step } = open();
    await spareTime.asked(step("first"));
    void spareTime.run(step("spare"));
    await timer.goTo(60);
    await spareTime.asked(step("second"));
    await timer.goTo(159);
    expect(log).toEqual(["first", "second"]);
    await timer.goTo(160);
    expect(log).toEqual(["first", "second", "spare"]);
  });

  it("waits without a timer for what is being answered", async () => {
    const { timer, spareTime, log, step } = open();
    let answer = (): void => undefined;
    const asked = spareTime.asked(() => new Promise<void>((resolve) => (answer = resolve)));
    void spareTime.run(step("spare"));
    await settled();
    expect(timer.waiting).toBe(0);
    answer();
    await asked;
    await settled();
    await timer.goTo(100);
    expect(log).toEqual(["spare"]);
  });

  it("keeps who asks waiting for one run at most", async () => {
    const { timer, spareTime, log, step } = open();
    let end = (): void => undefined;
    void spareTime.run(() => new Promise<void>((resolve) => (end = resolve)));
    await settled();
    const asked = spareTime.asked(step("asked"));
    void spareTime.run(step("next"));
    end();
    await asked;
    await timer.goTo(100);
    expect(log).toEqual(["asked", "next"]);
  });

  it("goes on after a run that has failed", async () => {
    const { spareTime, log, step } = open();
    await expect(spareTime.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await spareTime.run(step("next"));
    expect(log).toEqual(["next"]);
  });
});
