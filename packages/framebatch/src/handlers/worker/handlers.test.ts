import { describe, expect, it } from "vitest";
import { handlersFor, Registration } from "./registration.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { slide } from "./handlers.js";

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
    [null, "expected { preprocess, postprocess }, { choose } or { load, run, agrees, dispose }"],
    [() => 1, "expected { preprocess, postprocess }, { choose } or { load, run, agrees, dispose }"],
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

describe("handlersFor", () => {
  const [choose, preprocess] = [() => 1, () => Float32Array.of(1)];
  const generate = {};

  it("returns those of the kind of model, and none for a model without", async () => {
    const given = (handlers: object) => ({ handlers: () => Promise.resolve(handlers) });
    expect(await handlersFor({ served: "handlers", generate }, given({ choose }))).toEqual({ choose });
    expect(await handlersFor({ served: "handlers" }, given({ preprocess }))).toEqual({ preprocess });
    expect(await handlersFor({ served: "nothing", generate }, given({ preprocess }))).toBeNull();
  });

  it.each<[string, object, object, string]>([
    ["items", {}, { choose }, 'for a model that generates no texts, got "choose"; set generate'],
    [
      "texts",
      { generate },
      { choose, preprocess },
      'for a model that generates texts, got "preprocess", "choose"; leave',
    ],
    ["texts", { generate }, {}, "serve: expected { choose } for a model that generates texts, got nothing; add it"],
  ])("refuses others for %s: %o %o", async (_kind, request, handlers, message) => {
    const given = { handlers: () => Promise.resolve(handlers) };
    await expect(handlersFor({ served: "handlers", ...request }, given)).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining(message),
    });
  });
});

describe("a window of a stream", () => {
  it.each<[added: readonly number[], expected: readonly number[]]>([
    [[], [1, 2, 3, 4]],
    [[5], [2, 3, 4, 5]],
    [
      [5, 6, 7],
      [4, 5, 6, 7],
    ],
    [
      [5, 6, 7, 8],
      [5, 6, 7, 8],
    ],
    [
      [5, 6, 7, 8, 9, 10],
      [7, 8, 9, 10],
    ],
  ])("holds the newest numbers after %j", (added, expected) => {
    const window = Float32Array.of(1, 2, 3, 4);
    expect(slide(window, Float32Array.from(added))).toBe(window);
    expect([...window]).toEqual(expected);
  });

  it("of no numbers stays so", () => {
    expect(slide(new Float32Array(0), Float32Array.of(1))).toHaveLength(0);
  });
});
