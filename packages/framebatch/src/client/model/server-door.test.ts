import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { Outage } from "@framebatch/remote/router/outage.js";
import { ServerDoor } from "./server-door.js";

const DOWN = new FramebatchError("REMOTE_UNREACHABLE", "no answer");

/** A door to a server that cannot be opened. */
function closedDoor() {
  const { now } = new ManualClock();
  const model = new AbortController();
  const counts = { openings: 0 };
  const outage = new Outage({ now, random: () => 1, onChange: () => undefined });
  const open = () => {
    counts.openings += 1;
    return Promise.reject(DOWN);
  };
  return { model, counts, outage, door: new ServerDoor(outage, open, model.signal) };
}

describe("a server that cannot be opened", () => {
  it("begins an outage", async () => {
    const { door, outage } = closedDoor();
    await expect(door.open()).rejects.toBe(DOWN);
    expect(outage.error).toBe(DOWN);
  });

  it("begins none if the model has ended meanwhile, and is not opened again by requests", async () => {
    const { door, model, counts, outage } = closedDoor();
    const opening = door.open();
    model.abort(new FramebatchError("DISPOSED", "over"));
    await expect(opening).rejects.toBe(DOWN);
    expect(outage.error).toBeNull();
    door.wake();
    expect(counts.openings).toBe(1);
  });
});
