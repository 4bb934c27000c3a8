import process from "node:process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { typeUntil } from "../runner/page/typist.js";
import { within } from "../runner/visits/within.js";
import { seededRandom } from "../src/statistics/random.js";

describe("a time limit", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it("says how long was waited", async () => {
    const waited = expect(within(new Promise(() => {}), 90_000)).rejects.toThrow("Expected an end within 90 s.");
    await vi.advanceTimersByTimeAsync(90_000);
    await waited;
  });

  it("passes on what ends in time", async () => {
    const [set, clear] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
    const ended = within(Promise.resolve(1), 90_000);
    const timer = set.mock.results.at(-1)?.value;
    expect(await ended).toBe(1);
    expect(clear).toHaveBeenCalledWith(timer);
  });
});

describe("the typist", () => {
  it("rejects, and leaves no rejection unhandled, if the browser closes while a load runs", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", note);
    const done = deferred();
    const send = () => {
      done.resolve();
      return Promise.reject(new Error("closed"));
    };
    await expect(typeUntil(done.promise, { send }, seededRandom(1))).rejects.toThrow("closed");
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve: () => resolve() };
}
