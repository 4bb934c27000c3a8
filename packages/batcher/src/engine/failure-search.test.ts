import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bisection } from "./failure-search.js";
import { batching } from "../../test/support/batching.js";

/** Runs a search to its end, as the batch runner does, and checks that no member runs again after it succeeded. */
function search(
  size: number,
  isBad: (member: number) => boolean,
  isRepeatable = true,
): { runs: number; failed: number[] } {
  const members = Array.from({ length: size }, (_, index) => index);
  const bisection = new Bisection(members);
  const succeeded = new Set<number>();
  const failed: number[] = [];
  let runs = 0;
  for (let goesOn = true; goesOn;) {
    const { testing } = bisection;
    expect(testing.length).toBeGreaterThan(0);
    expect(testing.filter((member) => succeeded.has(member))).toEqual([]);
    const open = members.filter((member) => !succeeded.has(member) && !failed.includes(member));
    expect([...bisection.unsettled].toSorted((a, b) => a - b)).toEqual(open);
    runs += 1;
    const hasFailed = testing.some(isBad);
    if (!hasFailed) for (const member of testing) succeeded.add(member);
    else if (testing.length === 1) failed.push(testing[0]!);
    goesOn = bisection.ended(hasFailed ? { error: new Error("bad"), isRepeatable } : null, testing);
    const { culprit } = bisection;
    if (culprit !== null && !failed.includes(culprit.member)) failed.push(culprit.member);
  }
  expect(succeeded.size + failed.length).toBe(size);
  return { runs, failed: failed.toSorted((a, b) => a - b) };
}

const bound = (size: number): number => Math.ceil(Math.log2(size)) + 2;

describe("the search for a culprit", () => {
  it("does not repeat a group that has failed without a member for whom nobody waits any more", () => {
    const bisection = new Bisection([0, 1, 2, 3, 4, 5]);
    expect(bisection.testing).toEqual([0, 1, 2]);
    bisection.ended({ error: new Error("bad"), isRepeatable: true }, [0, 1]);
    expect(bisection.testing).toEqual([0]);
    expect(bisection.unsettled).toEqual([0, 1, 3, 4, 5]);
  });

  it("finds one culprit among n within ceil(log2 n) + 1 runs, at any position", () => {
    for (let size = 2; size <= 33; size++) {
      for (let culprit = 0; culprit < size; culprit++) {
        const { runs, failed } = search(size, (member) => member === culprit);
        expect(failed).toEqual([culprit]);
        expect(runs, `culprit ${culprit} of ${size}`).toBeLessThanOrEqual(Math.ceil(Math.log2(size)) + 1);
      }
    }
  });

  it("fails no member without a run of its own if failures may be random, and finds one culprit among n within ceil(log2 n) + 2 runs", () => {
    for (let size = 2; size <= 33; size++) {
      for (let culprit = 0; culprit < size; culprit++) {
        const { runs, failed } = search(size, (member) => member === culprit, false);
        expect(failed).toEqual([culprit]);
        expect(runs, `culprit ${culprit} of ${size}`).toBeLessThanOrEqual(bound(size));
      }
    }
  });

  it("finds up to three culprits in a batch of 32 within 6 runs each, at any position", () => {
    const culprits = fc.uniqueArray(fc.nat(31), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(culprits, (bad) => {
        const { runs, failed } = search(32, (member) => bad.includes(member));
        expect(failed).toEqual(bad.toSorted((a, b) => a - b));
        expect(runs).toBeLessThanOrEqual(6 * bad.length);
      }),
      { numRuns: 300 },
    );
  });

  it("finds exactly the culprits of any set, within 3 (ceil(log2 n) + 2) + n runs", () => {
    const batch = fc
      .integer({ min: 2, max: 33 })
      .chain((size) => fc.array(fc.boolean(), { minLength: size, maxLength: size }));
    fc.assert(
      fc.property(batch, (isBad) => {
        const { runs, failed } = search(isBad.length, (member) => isBad[member]!);
        expect(failed).toEqual([...isBad.keys()].filter((member) => isBad[member]));
        expect(runs).toBeLessThanOrEqual(3 * bound(isBad.length) + isBad.length);
      }),
      { numRuns: 300 },
    );
  });

  // defect C2
  it("fails no member but the culprits if any member is withdrawn at any time", () => {
    const sizes = fc.integer({ min: 2, max: 17 });
    const culprits = fc.infiniteStream(fc.integer({ min: 0, max: 3 }));
    const withdrawals = fc.infiniteStream(fc.integer({ min: 0, max: 7 }));
    fc.assert(
      fc.property(sizes, culprits, withdrawals, (size, drawCulprit, drawWithdrawal) => {
        const isBad = Array.from({ length: size }, () => drawCulprit.next().value === 0);
        const settled = new Set<number>();
        const bisection = new Bisection([...isBad.keys()]);
        for (let goesOn = true; goesOn;) {
          const ran = bisection.testing.filter((member) => !settled.has(member));
          const hasFailed = ran.some((member) => isBad[member]);
          if (!hasFailed || ran.length === 1) for (const member of ran) settled.add(member);
          goesOn = bisection.ended(hasFailed ? { error: new Error("bad"), isRepeatable: true } : null, ran);
          if (bisection.culprit !== null && !settled.has(bisection.culprit.member)) {
            expect(isBad[bisection.culprit.member]).toBe(true);
            settled.add(bisection.culprit.member);
          }
          for (const member of isBad.keys()) if (drawWithdrawal.next().value === 0) settled.add(member);
        }
        expect(settled.size).toBe(size);
      }),
      { numRuns: 2000 },
    );
  });

  it("fails no member if the failure does not recur", () => {
    for (let size = 2; size <= 33; size++) {
      expect(search(size, () => false).failed).toEqual([]);
    }
  });

  it("ends with one outcome per member if failures come and go", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 33 }), fc.infiniteStream(fc.boolean()), (size, failures) => {
        const { runs } = search(size, () => failures.next().value === true, false);
        expect(runs).toBeLessThanOrEqual(3 * bound(size) + size);
      }),
    );
  });
});

describe("a row with an error of its own", () => {
  it("may not have run, so that nothing is proved against the others of its group", () => {
    const { task, engine, outcomes } = batching();
    const broken = { error: new Error("broken"), divisible: true, isRepeatable: true };
    const answer = (items: readonly string[]) => {
      if (items.length === 1 && items[0] === "a") return { results: [new Error("lost")] };
      return items.includes("a") ? broken : { results: items.map((item) => item.toUpperCase()) };
    };
    task("abcd");
    while (engine.open > 0) engine.answer(answer);
    expect(outcomes).toMatchObject({ b: "B", c: "C", d: "D" });
  });
});
