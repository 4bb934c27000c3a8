import { describe, expect, it } from "vitest";
import { Deadline } from "./deadline.js";
import { ManualClock } from "../test/support/manual-clock.js";

const never = () => new Promise<never>(() => undefined);
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("Deadline", () => {
  it("fires one tick after its limit and not before, and leaves no timer", async () => {
    const clock = new ManualClock();
    let failure: unknown = null;
    void new Deadline(2000, clock).wait(never).catch((error: unknown) => (failure = error));
    clock.advanceTo(2099);
    await settled();
    expect(failure).toBeNull();
    clock.advanceTo(2100);
    await settled();
    expect(failure).toMatchObject({ message: "IndexedDB did not answer within 2000 ms" });
    expect(clock.pending).toBe(0);
  });

  it("excludes the time in which its thread was blocked", async () => {
    const clock = new ManualClock();
    const answer = new Deadline(2000, clock).wait(
      () => new Promise<string>((resolve) => clock.schedule(60_050, () => resolve("in time"))),
    );
    clock.freezeUntil(60_000);
    clock.advanceTo(60_050);
    await expect(answer).resolves.toBe("in time");
  });

  it("is shared by all steps of an operation", async () => {
    const clock = new ManualClock();
    const patience = new Deadline(2000, clock);
    const first = patience.wait(() => new Promise<void>((resolve) => clock.schedule(1550, resolve)));
    clock.advanceTo(1550);
    await first;
    let isOver = false;
    void patience.wait(never).catch(() => (isOver = true));
    clock.advanceTo(2149);
    await settled();
    expect(isOver).toBe(false);
    clock.advanceTo(2150);
    await settled();
    expect(isOver).toBe(true);
  });

  it("gives a step additional time for its bytes, and does not deduct it from the operation", async () => {
    const clock = new ManualClock();
    const patience = new Deadline(2000, clock);
    const large = patience.wait(() => new Promise<void>((resolve) => clock.schedule(3000, resolve)), 3000);
    clock.advanceTo(3000);
    await large;
    const next = patience.wait(() => new Promise<string>((resolve) => clock.schedule(4999, () => resolve("in time"))));
    clock.advanceTo(4999);
    await expect(next).resolves.toBe("in time");
  });
});
