import { describe, expect, it } from "vitest";
import { CostModel, sizeLadder } from "./cost-model.js";
import { costs } from "../../test/support/known-costs.js";

/** Lehmer's generator: numbers between 0 and 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** A model that has observed several rounds of runs of these sizes. */
function learned(ms: (size: number) => number, sizes: number[], rounds = 4, maxSize = 16): CostModel {
  const model = new CostModel(maxSize);
  for (let round = 0; round < rounds; round++) for (const size of sizes) model.observe(size, 1, ms(size));
  return model;
}

describe("the cost model", () => {
  it("predicts nothing before the first run", () => {
    const model = new CostModel(16);
    expect([model.isKnown, model.predict(4)]).toEqual([false, 0]);
    expect(model.curve()).toEqual([]);
  });

  it.each([1, 2, 3])("fits a linear cost under noise, seed %i", (seed) => {
    const random = seeded(seed);
    const truth = (size: number): number => 8 + 0.5 * size;
    const model = learned((size) => truth(size) * (0.9 + 0.2 * random()), [1, 3, 8, 16], 40);
    for (const size of [1, 2, 5, 8, 12, 16]) {
      expect(Math.abs(model.predict(size) / truth(size) - 1), `size ${size}`).toBeLessThan(0.06);
    }
  });

  it("predicts sizes that never ran with the line through the observed sizes", () => {
    const model = learned((size) => 8 + size, [2, 4]);
    expect(model.predict(3)).toBeCloseTo(11, 6);
    expect(model.predict(16)).toBeCloseTo(24, 6);
    expect([model.weight(3), model.deviation(3)]).toEqual([0, expect.closeTo(1.1, 6)]);
    expect(model.line.fixedMs).toBeCloseTo(8, 6);
  });

  it("is the more certain, the more runs are behind a prediction", () => {
    // A first run is taken to be 10 % off. The mean of two such runs is off by 1 / sqrt(2) of that.
    const error = (runs: number) => learned(() => 10, [4], runs).relativeError(4);
    expect(error(1)).toBeCloseTo(0.1, 6);
    expect(error(16)).toBeLessThan(error(2));
    expect(error(2)).toBeLessThan(0.1 / Math.sqrt(2));
    expect(learned(() => 10, [4], 16).relativeError(2)).toBeCloseTo(0.1, 6);
  });

  it("can be calculated with a pencil: the example in docs/scheduling.md", () => {
    const model = new CostModel(64);
    for (const [rows, ms] of [
      [1, 1],
      [2, 1.1],
      [8, 1.7],
    ] as const)
      model.observe(rows, 1, ms);
    expect(model.predict(4)).toBeCloseTo(1.3, 6);
    model.observe(4, 1, 2);
    const { fixedMs, msPerVolume } = model.line;
    expect([fixedMs, msPerVolume].map((ms) => ms.toFixed(3))).toEqual(["0.926", "0.118"]);
    expect(model.predict(4)).toBeCloseTo((0.5 * (fixedMs + 4 * msPerVolume) + 2) / 1.5, 6);
  });

  it("is barely affected by one outlier", () => {
    const model = learned(() => 10, [4], 16);
    model.observe(4, 1, 1000);
    expect(model.predict(4)).toBeLessThan(11);
  });

  it("follows slower runs when there are three in a row", () => {
    const model = learned(() => 10, [4], 16);
    for (let run = 0; run < 2; run++) model.observe(4, 1, 30);
    expect(model.predict(4)).toBeLessThan(12);
    model.observe(4, 1, 30);
    expect(model.predict(4)).toBeCloseTo(30, 6);
  });

  it("does not treat slow runs as a new level if usual ones come between them", () => {
    const model = learned(() => 10, [4], 16);
    for (const ms of [30, 30, 10, 30, 30, 10]) model.observe(4, 1, ms);
    expect(model.predict(4)).toBeLessThan(14);
  });

  it("follows a much faster run at once: those before it were slow", () => {
    const model = new CostModel(16);
    model.observe(4, 1, 400);
    model.observe(4, 1, 30);
    expect(model.predict(4)).toBeCloseTo(30, 6);
    model.observe(4, 1, 28);
    expect(model.predict(4)).toBeCloseTo(29, 2);
  });

  it("follows a slow drift", () => {
    const model = learned(() => 10, [4], 16);
    for (let run = 0; run < 100; run++) model.observe(4, 1, 10 + run / 10);
    expect(model.predict(4)).toBeGreaterThan(17.5);
  });

  it("forgets observations that are long ago", () => {
    const model = learned((size) => 8 + size, [4, 8], 8);
    const before = model.weight(8);
    for (let run = 0; run < 2000; run++) model.observe(4, 1, 12);
    expect(model.weight(8)).toBeLessThan(0.05 * before);
    model.observe(8, 1, 40);
    expect([model.weight(8), model.predict(8) > 20]).toEqual([1, true]);
  });

  it("fits its line to recent observations", () => {
    const model = new CostModel(16);
    model.observe(16, 1, 500);
    for (let run = 0; run < 2000; run++) model.observe(1 + (run % 4), 1, 9 + (run % 4));
    expect(model.predict(12)).toBeCloseTo(20, 1);
  });

  it("never predicts a negative time", () => {
    const model = learned((size) => (size === 16 ? 100 : 0), [1, 2, 16]);
    for (let size = 1; size <= 16; size++) expect(model.predict(size)).toBeGreaterThanOrEqual(0);
  });

  it("keeps shapes of different volumes separate", () => {
    const model = new CostModel(8);
    for (let run = 0; run < 8; run++) {
      for (const volume of [16, 256]) model.observe(4, volume, 1 + 0.01 * 4 * volume);
    }
    expect(model.predict(4, 16)).toBeCloseTo(1.64, 6);
    expect(model.predict(4, 256)).toBeCloseTo(11.24, 6);
    expect(model.predict(2, 64)).toBeCloseTo(2.28, 6);
  });
});

describe("twice the best size", () => {
  it("is measured if it has not run, or not for long", () => {
    const model = new CostModel(16, [1, 4, 16]);
    expect(model.probe(2, 16)).toBe(2);
    model.observe(4, 1, 12);
    for (let run = 0; run < 2; run++) model.observe(1, 1, 10);
    expect([1, 2, 4].map((best) => model.probe(best, 16))).toEqual([1, 2, 8]);
    for (let run = 0; run < 344; run++) model.observe(1, 1, 10);
    expect(model.probe(2, 16)).toBe(2);
    model.observe(1, 1, 10);
    expect(model.probe(2, 16)).toBe(4);
  });

  it("is cut to what may run", () => {
    const model = learned(() => 1, [1], 2);
    expect([1, 2, 3].map((limit) => model.probe(1, limit))).toEqual([1, 2, 2]);
    expect(model.probe(4, 5)).toBe(5);
  });
});

describe("the time of a single run", () => {
  /** Half of the time of a single run is always less than that of each row of two. */
  const isKnown = (model: CostModel): boolean => model.probe(2, 2) === 2;

  it("is known once two single runs agree", () => {
    const model = new CostModel(16);
    model.observe(4, 1, 12);
    model.observe(1, 1, 10);
    expect(isKnown(model)).toBe(false);
    model.observe(1, 1, 10);
    expect(isKnown(model)).toBe(true);
  });

  it("is not measured again if half of it would speak for the batch, too", () => {
    const model = new CostModel(16);
    model.observe(4, 1, 16);
    model.observe(1, 1, 10);
    expect([model.predict(4) / 4 > 5, model.predict(2) / 2 > 5]).toEqual([false, true]);
    expect([model.probe(4, 4), model.probe(2, 2)]).toEqual([4, 1]);
  });

  it("is in doubt after a single run that was much faster, until the next one", () => {
    const model = learned(() => 50, [1], 2);
    model.observe(1, 1, 20);
    expect(isKnown(model)).toBe(false);
    model.observe(1, 1, 21);
    expect(isKnown(model)).toBe(true);
  });

  it("is in doubt once it is forgotten, after 346 other runs", () => {
    const model = learned(() => 1, [1], 2);
    for (let run = 0; run < 346; run++) model.observe(16, 1, 10);
    expect(isKnown(model)).toBe(true);
    model.observe(16, 1, 10);
    expect(isKnown(model)).toBe(false);
    model.observe(1, 1, 1);
    expect(isKnown(model)).toBe(true);
  });

  it("stays known if an item of a new size runs alone", () => {
    const model = learned(() => 1, [1], 2);
    model.observe(1, 64, 40);
    expect(isKnown(model)).toBe(true);
  });

  it("is not measured again and again if other tabs' rows join each single run", () => {
    const model = new CostModel(16);
    model.observe(4, 1, 12, 1);
    expect(isKnown(model)).toBe(true);
  });

  it("counts runs of the smallest allowed size", () => {
    const model = new CostModel(16, [4, 16]);
    model.observe(16, 1, 400);
    const sizes = [0, 1].map(() => {
      model.observe(4, 1, 12);
      return model.probe(5, 5);
    });
    expect(sizes).toEqual([1, 5]);
  });
});

describe("the data of a cost model", () => {
  it("survives serialization", () => {
    const model = learned((size) => 8 + size + (size % 3), [1, 2, 5, 16], 5);
    const data: unknown = JSON.parse(JSON.stringify(model.toData()));
    expect(data).toEqual(model.toData());
    const restored = new CostModel(16);
    restored.restore(model.toData());
    expect(restored.curve()).toEqual(model.curve());
    expect(restored.toData()).toEqual(model.toData());
  });

  it("takes the place of all that was learned, and of what a single run took", () => {
    const model = learned((size) => 8 + size, [1, 2, 5, 16], 5);
    model.restore({ version: 1, shapes: [] });
    expect([model.isKnown, model.toData().shapes]).toEqual([false, []]);
    model.observe(16, 1, 100);
    const other = new CostModel(16);
    other.observe(16, 1, 100);
    expect([model.predict(1), model.curve()]).toEqual([other.predict(1), other.curve()]);
  });

  it("is replaced quickly if it no longer holds", () => {
    const model = new CostModel(16);
    model.restore(costs((size) => 8 + size));
    for (let run = 0; run < 3; run++) model.observe(4, 1, 100);
    expect(model.predict(4)).toBeGreaterThan(60);
  });
});

describe("the ladder of sizes", () => {
  it("contains every size up to 4, then four per octave, and the maximum", () => {
    expect(sizeLadder(1)).toEqual([1]);
    expect(sizeLadder(7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(sizeLadder(33)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 33]);
  });
});
