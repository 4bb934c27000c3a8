import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { Outage } from "@framebatch/remote/router/outage.js";
import { ServerOpener } from "./create-hybrid-model.js";

const DOWN = new FramebatchError("REMOTE_UNREACHABLE", "no answer");

/** Opens a server that cannot be opened. */
function failingOpener() {
  const { now } = new ManualClock();
  const model = new AbortController();
  const counts = { openings: 0 };
  const outage = new Outage({ now, random: () => 1, onChange: () => undefined });
  const open = () => {
    counts.openings += 1;
    return Promise.reject(DOWN);
  };
  return { model, counts, outage, opener: new ServerOpener(outage, open, model.signal) };
}

describe("a server that cannot be opened", () => {
  it("begins an outage", async () => {
    const { opener, outage } = failingOpener();
    await expect(opener.open()).rejects.toBe(DOWN);
    expect(outage.error).toBe(DOWN);
  });

  it("begins none if the model has ended meanwhile, and is not opened again by requests", async () => {
    const { opener, model, counts, outage } = failingOpener();
    const opening = opener.open();
    model.abort(new FramebatchError("DISPOSED", "over"));
    await expect(opening).rejects.toBe(DOWN);
    expect(outage.error).toBeNull();
    opener.openInBackground();
    expect(counts.openings).toBe(1);
  });
});
