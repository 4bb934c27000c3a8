import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseTexts } from "./page-text.js";

const LIMITS = { maxTexts: 3, bytesPerToken: 10, bytesPerGiven: 1, maxCacheBytes: Infinity };

function text(id: number, rank = 1, promptLength = 5, maxNewTokens = 5, givenLength = 0) {
  const prompt = Array.from({ length: promptLength }, () => 1);
  return { rank, prompt, sent: { id, maxNewTokens }, given: { length: givenLength }, text: { isPaused: false } };
}

const paused = (own: ReturnType<typeof text>) => ({ ...own, text: { isPaused: true } });

const idsOf = (texts: readonly { readonly sent: { readonly id: number } }[]) => texts.map(({ sent }) => sent.id);

describe("chooseTexts", () => {
  it("takes the oldest, but leaves those that run where they are", () => {
    const texts = [text(1), text(2), text(3), text(4), text(5)];
    expect(idsOf(chooseTexts(texts, () => false, LIMITS))).toEqual([1, 2, 3]);
    expect(idsOf(chooseTexts(texts, ({ sent }) => sent.id >= 4, LIMITS))).toEqual([4, 5, 1]);
  });

  it("gives an urgent text the place of the youngest of the least urgent ones", () => {
    const texts = [text(1, 2), text(2, 1), text(3, 2), text(4, 0)];
    expect(idsOf(chooseTexts(texts, ({ sent }) => sent.id <= 3, LIMITS))).toEqual([4, 2, 1]);
  });

  it("leaves a paused text its place while no other wants it, however urgent it is", () => {
    const [slow, others] = [paused(text(1, 0)), [text(2, 2), text(3, 2)]];
    expect(idsOf(chooseTexts([slow, ...others], ({ sent }) => sent.id === 1, LIMITS))).toEqual([2, 3, 1]);
    const all = [slow, ...others, text(4, 2)];
    expect(idsOf(chooseTexts(all, ({ sent }) => sent.id === 1, LIMITS))).toEqual([2, 3, 4]);
    // Also where others wait until half of the places are free.
    expect(idsOf(chooseTexts(all, ({ sent }) => sent.id <= 3, LIMITS, true))).toEqual([2, 3, 4]);
  });

  it("keeps texts waiting whose caches do not fit beside the others, each as long as the longest", () => {
    const texts = [text(1), text(2, 1, 5, 95), text(3)];
    expect(idsOf(chooseTexts(texts, () => false, { ...LIMITS, maxCacheBytes: 1999 }))).toEqual([1]);
    expect(idsOf(chooseTexts(texts, () => false, { ...LIMITS, maxCacheBytes: 2000 }))).toEqual([1, 2]);
  });

  it("counts the caches of what encoders have returned, each as long as the longest", () => {
    const texts = [text(1, 1, 5, 5, 40), text(2, 1, 5, 5, 100), text(3)];
    expect(idsOf(chooseTexts(texts, () => false, { ...LIMITS, maxCacheBytes: 399 }))).toEqual([1]);
    expect(idsOf(chooseTexts(texts, () => false, { ...LIMITS, maxCacheBytes: 400 }))).toEqual([1, 2]);
  });

  it("lets texts that share steps only with those that begin with them wait until half of the places are free", () => {
    const limits = { ...LIMITS, maxTexts: 4 };
    const running = (count: number) => (own: { readonly sent: { readonly id: number } }) => own.sent.id <= count;
    const texts = [1, 2, 3, 4, 5, 6, 7].map((id) => text(id));
    expect(idsOf(chooseTexts(texts, running(3), limits, true))).toEqual([1, 2, 3]);
    expect(idsOf(chooseTexts(texts, running(2), limits, true))).toEqual([1, 2, 3, 4]);
    // Nobody else would come, so that there is nothing to wait for.
    expect(idsOf(chooseTexts(texts.slice(0, 4), running(3), limits, true))).toEqual([1, 2, 3, 4]);
    const urgent = [...texts, text(8, 0)];
    expect(idsOf(chooseTexts(urgent, running(4), limits, true))).toEqual([8, 1, 2, 3]);
  });

  it("looks at thousands of texts that wait about once, and sorts none of them: it does so for each run", () => {
    const texts = Array.from({ length: 3000 }, (_, id) => text(id, (id * 7) % 3));
    const runs = (id: number) => id % 100 === 99;
    let asked = 0;
    const isRunning = ({ sent }: (typeof texts)[number]) => {
      asked += 1;
      return runs(sent.id);
    };
    const urgent = texts.filter(({ rank }) => rank === 0).map(({ sent }) => sent.id);
    const expected = [...urgent.filter(runs), ...urgent.filter((id) => !runs(id))].slice(0, 32);
    expect(idsOf(chooseTexts(texts, isRunning, { ...LIMITS, maxTexts: 32 }))).toEqual(expected);
    expect(asked).toBeLessThan(4 * texts.length);
  });

  it("never exceeds a limit, and always takes the first if it fits", () => {
    const texts = fc.array(
      fc.tuple(fc.nat({ max: 2 }), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 })),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1000, max: 5000 }),
        (given, maxTexts, maxCacheBytes) => {
          const all = given.map(([rank, prompt, more], id) => text(id, rank, prompt, more));
          const chosen = chooseTexts(all, ({ sent }) => sent.id % 2 === 0, {
            maxTexts,
            bytesPerToken: 10,
            bytesPerGiven: 0,
            maxCacheBytes,
          });
          const longest = Math.max(0, ...chosen.map(({ prompt, sent }) => prompt.length + sent.maxNewTokens));
          expect(chosen.length).toBeLessThanOrEqual(maxTexts);
          expect(chosen.length).toBeGreaterThan(0);
          expect(chosen.length * longest * 10).toBeLessThanOrEqual(maxCacheBytes);
          const worst = Math.max(...chosen.map(({ rank }) => rank));
          if (chosen.length === Math.min(maxTexts, all.length)) {
            for (const other of all) if (other.rank < worst) expect(chosen).toContain(other);
          }
        },
      ),
    );
  });
});
