import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { withRetries } from "./remote-call.js";

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

  const BUSY = new FramebatchError("REMOTE_STATUS", "busy", { details: { status: 503, retryAfterMs: 5000 } });

  /** Repeats a request to a server that asks for 5 s, until it may not be repeated any more. */
  function repeating() {
    const clock = new ManualClock();
    const listeners = new Set<() => void>();
    const may = { retry: true };
    const outcome = withRetries(() => Promise.reject(BUSY), {
      timer: clock,
      random: () => 1,
      signal: new AbortController().signal,
      onRetry: () => undefined,
      mayRetry: () => may.retry,
      onChange: (callback) => {
        listeners.add(callback);
        return () => void listeners.delete(callback);
      },
    }).catch((error: unknown) => error);
    const changed = () => {
      for (const callback of listeners) callback();
    };
    return { clock, listeners, may, outcome, changed };
  }

  it("fails with the rest of the time that the server has asked for, if it is not sent after a delay", async () => {
    const { clock, may, outcome } = repeating();
    await settled();
    may.retry = false;
    clock.advanceTo(5000);
    expect(await outcome).toMatchObject({ code: "REMOTE_STATUS", details: { status: 503, retryAfterMs: 0 } });
  });

  it("fails in the delay as soon as the reason for it has gone", async () => {
    const { clock, listeners, may, outcome, changed } = repeating();
    await settled();
    changed();
    clock.advanceTo(1000);
    may.retry = false;
    changed();
    expect(await outcome).toMatchObject({ code: "REMOTE_STATUS", details: { retryAfterMs: 4000 } });
    expect([clock.pending, listeners.size]).toEqual([0, 0]);
  });
});
