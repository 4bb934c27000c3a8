import { describe, expect, it } from "vitest";
import { Ledger, summed } from "../kit/ledger.js";

const NOTHING_OWN = { accepted: 0, completed: 0, queued: 0, inFlight: 0 };

/** Returns a ledger with `count` requests, all answered correctly. */
function answered(count: number): Ledger {
  const ledger = new Ledger();
  for (let made = 0; made < count; made += 1) ledger.answered(ledger.opened(), true);
  return ledger;
}

describe("the ledger", () => {
  it("reports no errors if every request is answered correctly", () => {
    expect(answered(3).account()).toEqual({
      n: 3,
      answered: 3,
      excused: 0,
      failed: 0,
      lost: 0,
      wrong: 0,
      duplicated: 0,
      errors: {},
    });
  });

  it("counts a request that never settles as lost", () => {
    const ledger = answered(2);
    ledger.opened();
    expect(ledger.account()).toMatchObject({ n: 3, lost: 1 });
  });

  it("counts an incorrect answer as wrong", () => {
    const ledger = answered(2);
    ledger.answered(ledger.opened(), false);
    expect(ledger.account()).toMatchObject({ wrong: 1, lost: 0 });
  });

  it("counts each further outcome of a request as duplicated", () => {
    const ledger = answered(1);
    ledger.answered(0, true);
    ledger.rejected(0, "TIMED_OUT", true);
    expect(ledger.account()).toMatchObject({ answered: 1, excused: 0, duplicated: 2 });
  });

  it("distinguishes excused rejections from failures", () => {
    const ledger = new Ledger();
    ledger.rejected(ledger.opened(), "TIMED_OUT", true);
    ledger.rejected(ledger.opened(), "WORKER_CRASHED", false);
    expect(ledger.account()).toMatchObject({ excused: 1, failed: 1, errors: { TIMED_OUT: 1, WORKER_CRASHED: 1 } });
  });

  it("counts an answer that the SDK counted but no caller received as duplicated", () => {
    const ledger = answered(5);
    ledger.reconcile({ ...NOTHING_OWN, completed: 7 });
    expect(ledger.account()).toMatchObject({ duplicated: 2 });
  });

  it("counts a request that the SDK holds but no caller waits for as lost", () => {
    const ledger = answered(5);
    ledger.reconcile({ ...NOTHING_OWN, completed: 5, queued: 1, inFlight: 2 });
    expect(ledger.account()).toMatchObject({ lost: 3 });
  });

  it("sums accounts, and their errors by name", () => {
    const other = new Ledger();
    other.rejected(other.opened(), "DISPOSED", true);
    expect(summed([answered(2).account(), other.account(), other.account()])).toMatchObject({
      n: 4,
      answered: 2,
      excused: 2,
      errors: { DISPOSED: 2 },
    });
  });
});
