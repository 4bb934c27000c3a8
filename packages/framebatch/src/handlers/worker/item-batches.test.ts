import { expect, it } from "vitest";
import { ExecutingRun } from "./item-batches.js";

function open(...runs: string[]) {
  const told: string[] = [];
  const executing = new ExecutingRun<string>((run) => told.push(run));
  for (const run of runs) executing.opened(run);
  return { executing, told };
}

it("tells nothing while runs begin in order", () => {
  const { executing, told } = open("a", "b");
  executing.begins("a");
  executing.closed("a");
  executing.begins("b");
  expect(told).toEqual([]);
});

it("tells a run that overtakes, and then the one that it has overtaken", () => {
  const { executing, told } = open("a", "b", "c");
  executing.begins("b");
  executing.begins("b");
  executing.begins("a");
  expect(told).toEqual(["b", "a"]);
});

it("tells nothing for the oldest run once the one that overtook it has ended", () => {
  const { executing, told } = open("a", "b");
  executing.begins("b");
  executing.closed("b");
  executing.begins("a");
  expect(told).toEqual(["b"]);
});
