import { expect, it } from "vitest";
import { batchingOf } from "./open-on-workers.js";

it.each([
  ["a model", {}, "frame"],
  ["a model with states", { recurrent: { h: "hN" } }, "idle"],
  ["a model with states whose rule is named", { recurrent: { h: "hN" }, batching: { release: "frame" } }, "frame"],
  ["a model with states without batching", { recurrent: { h: "hN" }, batching: false }, "off"],
] as const)("the release rule of %s", (_of, options, release) => {
  expect(batchingOf(options)).toMatchObject({ release });
});
