import { describe, expect, it } from "vitest";
import { type Job, Turns } from "./turns.js";

interface Tab {
  readonly name: string;
  readonly isHidden: boolean;
}

interface TestJob extends Job {
  readonly name: string;
}

const tabOf = (name: string, isHidden = false): Tab => ({ name, isHidden });
const [a, b, c, hidden] = [tabOf("a"), tabOf("b"), tabOf("c"), tabOf("hidden", true)];

const job = (name: string, rows = 1, kind: string | null = "x"): TestJob => ({
  name,
  rows,
  timeoutMs: 10 * rows,
  kind,
});

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Turns whose jobs end when the test ends them. @param size number of rows that pay as one run */
function open({ size = 100, mergedRuns = true } = {}) {
  const log: string[] = [];
  const asked: (readonly [string, number, number])[] = [];
  const dropped: string[] = [];
  let next = deferred();
  let end = (): void => undefined;
  const held = (entry: string) => {
    log.push(entry);
    const run = deferred();
    end = run.resolve;
    next.resolve();
    return run.promise;
  };
  const turns = new Turns<Tab, TestJob>({
    onTurn: (tabs, ms) => log.push(`${Array.from(tabs, ({ name }) => name).join("+")} has ${ms} ms`),
    sizeFor: ({ name }, queued, waiting) => {
      asked.push([name, queued, waiting]);
      return size;
    },
    runAlone: ({ name }) => held(name),
    runTogether: (jobs) => held(jobs.map(({ name }) => name).join("+")).then(() => mergedRuns),
    drop: ({ name }) => dropped.push(name),
  });
  return {
    turns,
    log,
    asked,
    dropped,
    /** Ends the current run, if there is one. Resolves when the next one has begun. */
    step: (): Promise<void> => {
      next = deferred();
      end();
      return next.promise;
    },
    /** Returns the runs that have begun. */
    runs: () => log.filter((entry) => !entry.includes(" ")),
  };
}

describe("turns without merging", () => {
  it("run one job at a time, and say before each run whose it is", async () => {
    const { turns, log, step } = open();
    for (const [tab, own] of [
      [a, job("a1", 1, null)],
      [a, job("a2", 2, null)],
      [b, job("b1", 3, null)],
    ] as const) {
      turns.add(tab, own);
    }
    await step();
    expect(log).toEqual(["a has 10 ms", "a1"]);
    expect([a, b, c].map((tab) => turns.isWaiting(tab))).toEqual([true, true, false]);
    await step();
    await step();
    expect(log).toEqual(["a has 10 ms", "a1", "b has 30 ms", "b1", "a has 20 ms", "a2"]);
  });

  it("drop the jobs of a tab that has left", async () => {
    const { turns, step, runs, dropped } = open();
    turns.add(b, job("b1", 1, null));
    await step();
    turns.add(a, job("a1", 1, null));
    turns.add(b, job("b2", 1, null));
    turns.remove(a);
    expect(dropped).toEqual(["a1"]);
    await step();
    expect(runs()).toEqual(["b1", "b2"]);
  });

  it("begin again after all have run", async () => {
    const { turns, step, runs } = open();
    turns.add(a, job("a1"));
    await step();
    const second = step();
    turns.add(b, job("b1"));
    await second;
    expect(runs()).toEqual(["a1", "b1"]);
  });

  it("do not keep a tab waiting for others that has had the last run to itself", async () => {
    const { turns, step, runs } = open();
    turns.add(a, job("a1"));
    await step();
    turns.add(a, job("a2"));
    await step();
    expect(runs()).toEqual(["a1", "a2"]);
  });
});

describe("merged turns", () => {
  it("hold the next job of each tab, if together they pay", async () => {
    const { turns, log, asked, step } = open();
    turns.add(a, job("a1", 1));
    turns.add(a, job("a2", 2));
    turns.add(b, job("b1", 3));
    turns.add(c, job("c1", 4));
    await step();
    expect(log).toEqual(["a+b+c has 80 ms", "a1+b1+c1"]);
    expect(asked).toEqual([["a1", 10, 10]]);
    await step();
    expect(log.slice(2)).toEqual(["a has 20 ms", "a2"]);
  });

  it("hold no more rows than pay", async () => {
    const { turns, step, runs } = open({ size: 5 });
    turns.add(a, job("a1", 2));
    turns.add(b, job("b1", 3));
    turns.add(c, job("c1", 1));
    await step();
    await step();
    expect(runs()).toEqual(["a1+b1", "c1"]);
  });

  it("hold only jobs of one kind, and skip none for another that is later in line", async () => {
    const { turns, asked, step, runs } = open();
    turns.add(a, job("a1", 1, "x"));
    turns.add(b, job("b1", 2, "y"));
    turns.add(c, job("c1", 4, "x"));
    await step();
    await step();
    await step();
    expect(runs()).toEqual(["a1", "b1", "c1"]);
    expect(asked).toEqual([["a1", 5, 7]]);
  });

  it("never make the run of a visible tab longer for a hidden one", async () => {
    const { turns, step, runs } = open();
    turns.add(hidden, job("h1"));
    turns.add(a, job("a1"));
    turns.add(b, job("b1"));
    await step();
    await step();
    expect(runs()).toEqual(["a1+b1", "h1"]);
  });

  it("run each job alone if the merged run fails, before the later jobs of its tab", async () => {
    const { turns, step, runs } = open({ mergedRuns: false });
    turns.add(a, job("a1"));
    turns.add(a, job("a2"));
    turns.add(b, job("b1"));
    for (let count = 0; count < 4; count += 1) await step();
    expect(runs()).toEqual(["a1+b1", "a1", "b1", "a2"]);
  });

  it("do not run the job of a tab that has left while the merged run failed", async () => {
    const { turns, step, runs, dropped } = open({ mergedRuns: false });
    turns.add(a, job("a1"));
    turns.add(b, job("b1"));
    await step();
    turns.remove(a);
    expect(dropped).toEqual([]);
    await step();
    expect(runs()).toEqual(["a1+b1", "b1"]);
    expect(dropped).toEqual(["a1"]);
    expect(turns.isWaiting(a)).toBe(false);
  });
});
