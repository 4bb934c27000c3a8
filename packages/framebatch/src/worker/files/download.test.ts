import { describe, expect, it } from "vitest";
import { StallGuard } from "./download.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";

describe("StallGuard", () => {
  it("does not treat a download as stalled if its bytes arrive while the runtime compiles", async () => {
    const clock = new ManualClock();
    const guard = new StallGuard({ timer: clock }, () => new Error("stalled"));
    let arrive = (_bytes: string) => {};
    const arrival = new Promise<string>((resolve) => (arrive = resolve));
    const step = guard.watch(arrival, 2500);
    clock.advanceTo(2400);
    // The thread compiles for ten seconds. The timers that are due then run before the bytes arrive.
    clock.freezeUntil(12_400);
    clock.advanceTo(12_400);
    arrive("bytes");
    expect(await step).toBe("bytes");
    expect(guard.signal.aborted).toBe(false);
  });
});
