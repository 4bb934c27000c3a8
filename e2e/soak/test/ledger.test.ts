import { describe, expect, it } from "vitest";
import { Ledger, summed } from "../kit/ledger.js";

const NOTHING_OWN = { accepted: 0, completed: 0, queued: 0, inFlight: 0 };

/** So many requests, each answered right. */
function answered(count: number): Ledger {
  const ledger = new Ledger();
  for (let made = 0; made < count; made += 1) ledger.answered(ledger.opened(), true);
  return ledger;
}

describe("the ledger", () => {
  it("finds nothing where every request is answered right", () => {
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

  it("counts an answer with other bits as wrong", () => {
    const ledger = answered(2);
    ledger.answered(ledger.opened(), false);
    expect(ledger.account()).toMatchObject({ wrong: 1, lost: 0 });
  });

  it("counts a second end of a request as duplicated, whatever the ends are", () => {
    const ledger = answered(1);
    ledger.answered(0, true);
    ledger.rejected(0, "TIMED_OUT", true);
    expect(ledger.account()).toMatchObject({ answered: 1, excused: 0, duplicated: 2 });
  });

  it("tells a rejection that was asked for from one that was not", () => {
    const ledger = new Ledger();
    ledger.rejected(ledger.opened(), "TIMED_OUT", true);
    ledger.rejected(ledger.opened(), "WORKER_CRASHED", false);
    expect(ledger.account()).toMatchObject({ excused: 1, failed: 1, errors: { TIMED_OUT: 1, WORKER_CRASHED: 1 } });
  });

  it("takes an answer that the SDK has counted and nobody has got for a duplicate", () => {
    const ledger = answered(5);
    ledger.reconcile({ ...NOTHING_OWN, completed: 7 });
    expect(ledger.account()).toMatchObject({ duplicated: 2 });
  });

  it("takes a request that the SDK still holds at rest for lost", () => {
    const ledger = answered(5);
    ledger.reconcile({ ...NOTHING_OWN, completed: 5, queued: 1, inFlight: 2 });
    expect(ledger.account()).toMatchObject({ lost: 3 });
  });

  it("sums accounts, with their errors by name", () => {
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
