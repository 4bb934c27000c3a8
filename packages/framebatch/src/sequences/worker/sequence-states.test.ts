import { describe, expect, it } from "vitest";
import type { StateTensor } from "@framebatch/rows/model/recurrence.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { SentStep } from "../sequence-messages.js";
import { elementsOf, SequenceStates } from "./sequence-states.js";

const INPUT: TensorInfo = { name: "state", type: "float32", dims: [null, 1], symbols: [null, null], batchAxis: 0 };
const STATES: readonly StateTensor[] = [{ input: INPUT, index: 0, output: { ...INPUT, name: "stateN" } }];

const number = (value: number) => Float32Array.of(value);

function sent(step: number, from?: number, returns = false): SentStep {
  return { sequence: 1, step, returns, ...(from !== undefined && { from: { tensors: [number(from)] } }) };
}

/** A run of a model whose next state is 10 times the state, plus 1. It ends when the test says so. */
function begin(states: SequenceStates, ...steps: readonly (SentStep | null)[]) {
  const before = states.before(steps.length, steps);
  const numbers = before.ofRows.map(({ tensors }) => Number(elementsOf(tensors[0]!)[0]));
  const after = numbers.map((value) => ({ tensors: [number(10 * value + 1)] }));
  return { numbers, succeed: () => states.keep(before, after, steps) };
}

function run(states: SequenceStates, ...steps: readonly (SentStep | null)[]): readonly number[] {
  const begun = begin(states, ...steps);
  begun.succeed();
  return begun.numbers;
}

describe("states by sequence", () => {
  it("advance from what the page has sent, step by step", () => {
    const states = new SequenceStates(STATES);
    expect(run(states, sent(1, 0))).toEqual([0]);
    expect(run(states, sent(2))).toEqual([1]);
    expect(run(states, sent(3))).toEqual([11]);
  });

  it("run the newest step again on the state before it, however often", () => {
    const states = new SequenceStates(STATES);
    run(states, sent(1, 5));
    expect(run(states, sent(2))).toEqual([51]);
    expect(run(states, sent(2))).toEqual([51]);
    expect(run(states, sent(2))).toEqual([51]);
    expect(run(states, sent(3))).toEqual([511]);
  });

  it("stay if the run does not succeed", () => {
    const states = new SequenceStates(STATES);
    run(states, sent(1, 5));
    begin(states, sent(2));
    expect(run(states, sent(2))).toEqual([51]);
  });

  it("give an aborted step and its successor, which have one number, the same state", () => {
    const states = new SequenceStates(STATES);
    run(states, sent(1, 5));
    const aborted = begin(states, sent(2));
    const successor = begin(states, sent(2));
    aborted.succeed();
    successor.succeed();
    expect(successor.numbers).toEqual([51]);
    expect(run(states, sent(3))).toEqual([511]);
  });

  it("stay those of the successor of an aborted step, if that ends after it", () => {
    const states = new SequenceStates(STATES);
    run(states, sent(1, 5));
    const aborted = begin(states, sent(2));
    const successor = states.before(1, [sent(2)]);
    states.keep(successor, [{ tensors: [number(9)] }], [sent(2)]);
    aborted.succeed();
    expect(run(states, sent(3))).toEqual([9]);
  });

  it.each([0, 1, 4, 9])("refuse step %i after step 2 of a state that began before it", (step) => {
    const states = new SequenceStates(STATES);
    run(states, sent(1, 5));
    run(states, sent(2));
    expect(() => begin(states, sent(step))).toThrow(
      `expected the state before step ${step} of a sequence, got a worker that has run 2`,
    );
  });

  it("refuse a step of a sequence that has ended, and keep nothing of one that ends during its run", () => {
    const states = new SequenceStates(STATES);
    const last = begin(states, sent(1, 5));
    states.end(1);
    last.succeed();
    expect(() => begin(states, sent(2))).toThrow("got a worker that has run none");
  });

  it("are zeros for rows without a sequence, which leave nothing behind", () => {
    const states = new SequenceStates(STATES);
    expect(run(states, null, sent(1, 7), null)).toEqual([0, 7, 0]);
    expect(run(states, sent(2), null)).toEqual([71, 0]);
  });
});
