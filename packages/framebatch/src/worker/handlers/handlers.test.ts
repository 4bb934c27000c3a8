import { describe, expect, it } from "vitest";
import { Registration } from "./registration.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";

describe("the handlers of a worker", () => {
  it("may be given before or after they are asked for", async () => {
    const [early, late] = [new Registration(), new Registration()];
    const handlers = { preprocess: () => Float32Array.of(1) };
    early.register(handlers);
    const waiting = late.handlers(new ManualClock());
    late.register(handlers);
    expect(await Promise.all([early.handlers(new ManualClock()), waiting])).toEqual([handlers, handlers]);
  });

  it("must be given in time", async () => {
    const clock = new ManualClock();
    const waiting = new Registration().handlers(clock);
    clock.advanceTo(20_000);
    await expect(waiting).rejects.toMatchObject({
      code: "WORKER_LOAD_FAILED",
      message: expect.stringContaining("serve("),
    });
  });

  it.each<[unknown, string]>([
    [null, "expected { preprocess, postprocess } or { load, run, agrees, dispose }"],
    [() => 1, "expected { preprocess, postprocess } or { load, run, agrees, dispose }"],
    [{ preprocces: () => 1 }, '"preprocces"'],
    [{ preprocess: 5 }, "preprocess to be a function"],
  ])("must be functions: %o", (handlers, message) => {
    expect(() => new Registration().register(handlers)).toThrow(message);
  });

  it("can be given once", () => {
    const registration = new Registration();
    registration.register({});
    expect(() => registration.register({})).toThrow("a second one");
  });
});
