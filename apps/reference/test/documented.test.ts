import { expect, test } from "vitest";
import { publicHovers } from "../src/hovers.js";

const hovers = publicHovers();

/** Options, whose hover shows how to write them. */
const OPTIONS =
  /\.(BatchingOptions|BatcherOptions|BatchedOptions|PredictOptions|ModelPredictOptions|ModelOptions|HybridModelOptions|RemoteSideOptions)\./;
/** Functions, and the methods that predict. */
const CALLS =
  /^[\w/]+\.[a-z]\w+$|\.BatchedModel\.predict\w*$|\.BatchedFunction\.many$|\.Pipeline\.(stage|split|run\w*)$/;

test("every export and every public member has a docstring", () => {
  expect(hovers.length).toBeGreaterThan(300);
  expect(hovers.filter(({ text }) => text === "").map(({ path }) => path)).toEqual([]);
});

test("the hover of every function and every option shows an example", () => {
  const isSwitchedOff = (path: string) => /\.(Hybrid)?ModelOptions\.worker$|\.ModelOptions\.remote$/.test(path);
  const shown = hovers.filter(({ path }) => (OPTIONS.test(path) || CALLS.test(path)) && !isSwitchedOff(path));
  expect(shown.length).toBeGreaterThan(70);
  expect(shown.filter(({ examples }) => examples.length === 0).map(({ path }) => path)).toEqual([]);
});
