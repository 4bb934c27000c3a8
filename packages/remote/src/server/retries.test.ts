import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { withRetries } from "./retries.js";

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a request that is repeated", () => {
  it("is not sent after a delay in which the reason for it has gone", async () => {
    const clock = new ManualClock();
    const counts = { attempts: 0, retries: 0 };
    const may = { retry: true };
    const attempt = () => {
      counts.attempts += 1;
      return Promise.reject(new FramebatchError("REMOTE_UNREACHABLE", "it is down"));
    };
    const outcome = withRetries(attempt, {
      timer: clock,
      random: () => 1,
      signal: new AbortController().signal,
      onRetry: () => (counts.retries += 1),
      mayRetry: () => may.retry,
    }).catch((error: unknown) => error);
    await settled();
    clock.advanceTo(250);
    await settled();
    expect(counts).toEqual({ attempts: 2, retries: 1 });
    may.retry = false;
    clock.advanceTo(1250);
    expect(await outcome).toMatchObject({ code: "REMOTE_UNREACHABLE", details: { tries: 2 } });
    expect(counts).toEqual({ attempts: 2, retries: 1 });
  });
});
