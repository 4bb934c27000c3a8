import { describe, expect, it } from "vitest";
import { EventLoop } from "./event-loop.js";

function loopWithLog() {
  const loop = new EventLoop();
  const log: string[] = [];
  const note = (what: string) => () => void log.push(`${what} at ${loop.now()}`);
  return { loop, log, note };
}

describe("the virtual event loop", () => {
  it("runs events in order of time, and events of the same instant in order of scheduling", () => {
    const { loop, log, note } = loopWithLog();
    for (const [atMs, name] of [
      [5, "c"],
      [1, "a"],
      [5, "d"],
      [3, "b"],
    ] as const)
      loop.at(atMs, note(name));
    loop.run(Infinity);
    expect(log).toEqual(["a at 1", "b at 3", "c at 5", "d at 5"]);
  });

  it("keeps the order of many events", () => {
    const loop = new EventLoop();
    const seen: number[] = [];
    for (let i = 0; i < 500; i++) {
      const atMs = (i * 7919) % 500;
      loop.at(atMs, () => void seen.push(atMs));
    }
    loop.run(Infinity);
    expect(seen).toEqual(Array.from({ length: 500 }, (_, i) => i));
  });

  it("runs microtasks before tasks that were posted earlier, and both before the next event", () => {
    const { loop, log, note } = loopWithLog();
    loop.at(1, () => {
      loop.at(1, note("event"));
      loop.afterTask(note("task"));
      loop.afterMicrotasks(() => {
        note("microtask")();
        loop.afterMicrotasks(note("microtask of a microtask"));
      });
    });
    loop.run(Infinity);
    expect(log).toEqual(["microtask at 1", "microtask of a microtask at 1", "task at 1", "event at 1"]);
  });

  it("never calls a cancelled callback", () => {
    const { loop, log, note } = loopWithLog();
    loop.schedule(1, note("timer"))();
    loop.afterTask(note("task"))();
    loop.afterMicrotasks(note("microtask"))();
    loop.run(Infinity);
    expect(log).toEqual([]);
    expect(loop.timersFired).toBe(0);
  });

  it("runs no event after the end time", () => {
    const { loop, log, note } = loopWithLog();
    loop.at(2, note("on time"));
    loop.at(3, note("too late"));
    loop.run(2);
    expect(log).toEqual(["on time at 2"]);
  });

  it("counts the page's timers but not the events of the world", () => {
    const { loop, note } = loopWithLog();
    loop.schedule(1, note("timer"));
    loop.at(1, note("event"));
    loop.run(Infinity);
    expect(loop.timersFired).toBe(1);
  });

  it("fires the timers of a hidden tab on whole seconds, or when the tab is shown", () => {
    const { loop, log, note } = loopWithLog();
    loop.at(10, () => loop.hide());
    loop.schedule(20, note("first"));
    loop.schedule(1100, note("second"));
    loop.at(30, note("event"));
    loop.at(1500, () => loop.show());
    loop.run(Infinity);
    expect(log).toEqual(["event at 30", "first at 1000", "second at 1500"]);
  });

  it("runs events late if the clock jumps past them", () => {
    const { loop, log, note } = loopWithLog();
    loop.at(1, () => loop.jump(100));
    loop.schedule(50, note("timer"));
    loop.run(Infinity);
    expect(log).toEqual(["timer at 101"]);
  });
});
