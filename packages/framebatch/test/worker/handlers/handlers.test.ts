import { describe, expect, it } from "vitest";
import { HandlerRegistration } from "../../../src/worker/handlers/handlers.js";
import { ManualClock } from "../../support/manual-clock.js";

describe("the handlers of a worker", () => {
  it("may be given before or after they are asked for", async () => {
    const [early, late] = [new HandlerRegistration(), new HandlerRegistration()];
    const handlers = { preprocess: () => Float32Array.of(1) };
    early.register(handlers);
    const waiting = late.inTime(new ManualClock());
    late.register(handlers);
    expect(await Promise.all([early.inTime(new ManualClock()), waiting])).toEqual([handlers, handlers]);
  });

  it("must be given in time", async () => {
    const clock = new ManualClock();
    const waiting = new HandlerRegistration().inTime(clock);
    clock.advanceTo(20_000);
    await expect(waiting).rejects.toMatchObject({
      code: "WORKER_LOAD_FAILED",
      message: expect.stringContaining("serve("),
    });
  });

  it.each<[unknown, string]>([
    [null, "serve({ preprocess, postprocess })"],
    [() => 1, "serve({ preprocess, postprocess })"],
    [{ preprocces: () => 1 }, '"preprocces"'],
    [{ preprocess: 5 }, "preprocess to be a function"],
  ])("must be functions: %o", (handlers, message) => {
    expect(() => new HandlerRegistration().register(handlers)).toThrow(message);
  });

  it("can be given once", () => {
    const registration = new HandlerRegistration();
    registration.register({});
    expect(() => registration.register({})).toThrow("a second one");
  });
});
