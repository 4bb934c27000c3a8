import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddingDecoder, type AddingRules, POISON } from "../../../test/support/adding-decoder.js";
import type { SentText, TextsAnswer, TextsRequest } from "../generation-messages.js";
import type { Choose } from "./open-text.js";
import { Texts } from "./texts.js";

const FRAME_MS = 16;
const NO_GPU = { memory: () => Promise.resolve(null), wants: () => false, compare: () => undefined };

/** A worker half on a fake decoder, whose clock only its runs move. */
class Scene {
  readonly fake = new AddingDecoder();
  readonly tokens = new Map<number, number[]>();
  readonly errors = new Map<number, string>();
  readonly #sent = new Map<number, SentText>();
  readonly #open = new Set<number>();
  readonly #texts: Texts;
  isMixing = false;
  use: TextsAnswer["use"] | null = null;

  constructor(rules: Partial<AddingRules> = {}, choose: Choose | null = null) {
    Object.assign(this.fake.rules, rules);
    const { decoder, run } = this.fake;
    const now = () => this.fake.nowMs;
    this.#texts = new Texts({
      decoder,
      run,
      choose,
      agreement: {},
      gpu: NO_GPU,
      now,
      isMixing: () => this.isMixing,
    });
  }

  /** Makes one run. @param joining texts that begin with it */
  async run(
    joining: readonly Partial<SentText>[] = [],
    { isCrowded = false, paused = [] }: Partial<Pick<TextsRequest, "isCrowded" | "paused">> = {},
  ): Promise<void> {
    const sent = joining.map((text) => this.#text(text));
    for (const text of sent) this.#open.add(text.id);
    const answer = await this.#texts.run({ texts: [...this.#open], joining: sent, paused, isCrowded });
    if (!answer.ok) throw new Error(answer.error.message);
    this.use = answer.use;
    for (const { id, tokens, end, error } of answer.progress) {
      this.tokens.get(id)!.push(...tokens);
      if (error !== null) this.errors.set(id, error.message);
      if (end !== null || error !== null) this.#open.delete(id);
    }
  }

  /** Makes runs until all texts have ended. */
  async end(): Promise<void> {
    while (this.#open.size > 0) await this.run();
  }

  drop(id: number): void {
    this.#open.delete(id);
  }

  /** The text that it should be. */
  expected(id: number): number[] {
    const { tokens, promptLength, maxNewTokens } = this.#sent.get(id)!;
    return this.fake.text(tokens.slice(0, promptLength), maxNewTokens);
  }

  get ids(): readonly number[] {
    return [...this.#sent.keys()];
  }

  #text(text: Partial<SentText>): SentText {
    const id = text.id ?? this.#sent.size;
    const tokens = text.tokens ?? [id + 1, id + 2];
    const sent = { tokens, promptLength: tokens.length, maxNewTokens: 5, stop: [], given: {}, ...PLAIN, ...text, id };
    this.#sent.set(id, sent);
    this.tokens.set(id, this.tokens.get(id) ?? []);
    return sent;
  }
}

const PLAIN = { sample: null, repetitionPenalty: 1 };

/** Number of texts in each step that was made. */
function stepsOf({ fake }: Scene): number[] {
  return fake.seen.filter(({ tokens, past }) => tokens === 1 && past > 0).map(({ rows }) => rows);
}

describe("Texts", () => {
  it("gives each text what it gives alone, however texts come and go", async () => {
    const text = fc.record({ length: fc.integer({ min: 1, max: 40 }), maxNewTokens: fc.integer({ min: 1, max: 12 }) });
    const round = fc.record({ joins: fc.array(text, { maxLength: 4 }), drops: fc.nat({ max: 20 }) });
    const rules = fc.constantFrom<Partial<AddingRules>>(
      {},
      { readsMask: false },
      { mixes: true },
      { runMs: 7, tokenMs: 0.4 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 8 }), rules, async (rounds, given) => {
        const scene = new Scene(given);
        const dropped = new Set<number>();
        for (const { joins, drops } of rounds) {
          const id = scene.ids[drops];
          if (id !== undefined) {
            scene.drop(id);
            dropped.add(id);
          }
          await scene.run(
            joins.map(({ length, maxNewTokens }, index) => ({
              tokens: Array.from({ length }, (_, at) => (at * 5 + length + index) % 90),
              maxNewTokens,
            })),
          );
        }
        await scene.end();
        for (const own of scene.ids) {
          const tokens = scene.tokens.get(own)!;
          const expected = scene.expected(own);
          expect(tokens).toEqual(dropped.has(own) ? expected.slice(0, tokens.length) : expected);
        }
      }),
    );
  });

  it("measures which texts share steps", async () => {
    const sharingOf = async (rules: Partial<AddingRules>) => {
      const scene = new Scene(rules);
      await scene.run([{ tokens: [1] }, { tokens: [1, 2, 3] }]);
      await scene.end();
      return scene.use?.sharing;
    };
    expect(await sharingOf({})).toBe("left");
    expect(await sharingOf({ readsMask: false })).toBe("equal");
    expect(await sharingOf({ mixes: true })).toBe("alone");
    expect(await sharingOf({ mixesPrompts: true })).toBe("alone");
  });

  it("does not take scores that are no numbers, as of a text that gives NaN, for ones that agree", async () => {
    const scene = new Scene({ mixes: true, isBroken: true });
    await scene.run([{}, {}]);
    await scene.end();
    expect(scene.use?.sharing).toBe("alone");
    scene.fake.rules.isBroken = false;
    await scene.run([{ id: 8 }, { id: 9 }]);
    await scene.end();
    for (const id of [8, 9]) expect(scene.tokens.get(id)).toEqual(scene.expected(id));
  });

  it("measures nothing for a text that is alone, and none shares steps where the model is known to mix rows", async () => {
    const scene = new Scene();
    await scene.run([{ maxNewTokens: 4 }]);
    expect(scene.fake.seen).toHaveLength(4);
    expect(scene.use?.sharing).toBeNull();
    scene.isMixing = true;
    await scene.run([{}, {}]);
    await scene.end();
    expect(scene.use?.sharing).toBe("alone");
    expect(Math.max(...stepsOf(scene))).toBe(1);
  });

  it("has texts join the steps of others, and leave them, before the next step", async () => {
    const scene = new Scene({ runMs: 10 });
    await scene.run([{ maxNewTokens: 9 }, { maxNewTokens: 9 }]);
    while (scene.use?.sharing === null) await scene.run();
    scene.fake.seen.length = 0;
    await scene.run([{ tokens: [1, 2, 3, 4, 5], maxNewTokens: 2 }]);
    expect(scene.fake.seen.map(({ rows }) => rows)).toContain(1);
    await scene.run();
    expect(scene.fake.seen.at(-1)!.rows).toBe(3);
    await scene.run();
    expect(scene.fake.seen.at(-1)!.rows).toBe(2);
  });

  it("takes a long prompt in pieces, so that it holds the next tokens of others back for about a frame", async () => {
    const scene = new Scene({ runMs: 2, tokenMs: 0.25 });
    await scene.run([{ maxNewTokens: 200 }, { maxNewTokens: 200 }]);
    while (scene.use?.sharing === null) await scene.run();
    scene.fake.seen.length = 0;
    const tokens = Array.from({ length: 400 }, (_, at) => at % 90);
    await scene.run([{ id: 9, tokens, maxNewTokens: 1 }]);
    let worst = 0;
    for (let had = scene.tokens.get(0)!.length; scene.tokens.get(9)!.length === 0;) {
      const before = scene.fake.nowMs;
      await scene.run();
      const now = scene.tokens.get(0)!.length;
      expect(now).toBeGreaterThan(had);
      worst = Math.max(worst, (scene.fake.nowMs - before) / (now - had));
      had = now;
    }
    expect(worst).toBeLessThan(2 * FRAME_MS);
    expect(scene.tokens.get(9)).toEqual(scene.expected(9));
    const pieces = scene.fake.seen.filter(({ tokens: count }) => count > 1).map(({ tokens: count }) => count);
    expect(pieces.length).toBeGreaterThan(4);
  });

  it("takes the prompts of texts that come together whole, before the first step of any", async () => {
    const scene = new Scene({ runMs: 2, tokenMs: 1 });
    await scene.run([{}, {}]);
    await scene.end();
    scene.fake.seen.length = 0;
    const lengths = [200, 300, 250, 220];
    await scene.run(lengths.map((length) => ({ tokens: Array.from({ length }, (_, at) => at % 90) })));
    await scene.end();
    expect(stepsOf(scene).slice(-4)).toEqual([4, 4, 4, 4]);
    for (const id of scene.ids) expect(scene.tokens.get(id)).toEqual(scene.expected(id));
  });

  it("does not keep short texts waiting for the whole prompt of a much longer one, though they come together", async () => {
    const scene = new Scene({ runMs: 2, tokenMs: 1 });
    await scene.run([{}, {}]);
    await scene.end();
    const tokens = Array.from({ length: 500 }, (_, at) => at % 90);
    await scene.run([
      { id: 20, tokens: [1, 2, 3] },
      { id: 21, tokens },
    ]);
    while (scene.tokens.get(20)!.length < 5) await scene.run();
    expect(scene.tokens.get(21)).toEqual([]);
  });

  it("does not keep a text waiting for the prompts of texts that come later", async () => {
    const scene = new Scene({ runMs: 2, tokenMs: 1 });
    await scene.run([{}, {}]);
    await scene.end();
    const tokens = Array.from({ length: 100 }, (_, at) => at % 90);
    await scene.run([{ id: 20, tokens }]);
    expect(scene.tokens.get(20)).toHaveLength(1);
    for (const id of [21, 22, 23]) await scene.run([{ id, tokens, maxNewTokens: 1 }]);
    expect(scene.tokens.get(20)!.length).toBeGreaterThan(3);
  });

  it("takes the prompts of several texts together", async () => {
    const scene = new Scene();
    await scene.run([{}, {}]);
    await scene.end();
    scene.fake.seen.length = 0;
    await scene.run(Array.from({ length: 6 }, (_, index) => ({ tokens: [index, 1, 2] })));
    expect(scene.fake.seen[0]).toEqual({ rows: 6, tokens: 3, past: 0 });
  });

  it("blames a failed run on the text that is at fault, and no other", async () => {
    const scene = new Scene();
    await scene.run([{}, {}]);
    await scene.end();
    await scene.run([
      { id: 10, tokens: [3, 4] },
      { id: 11, tokens: [POISON, 4] },
      { id: 12, tokens: [5, 6] },
    ]);
    await scene.end();
    expect([...scene.errors]).toEqual([[11, "a token is poison"]]);
    for (const id of [10, 12]) expect(scene.tokens.get(id)).toEqual(scene.expected(id));
  });

  it("refuses a cache that drops positions, which would be taken for others", async () => {
    const scene = new Scene({ window: 4 });
    await scene.run([{ maxNewTokens: 9 }, { tokens: [1, 2, 3], maxNewTokens: 9 }]);
    await scene.end();
    for (const id of scene.ids) {
      expect(scene.errors.get(id)).toContain(
        'expected the cache "present" to grow by the tokens of each run, to 1 on axis 0',
      );
      const tokens = scene.tokens.get(id)!;
      expect(tokens).toEqual(scene.expected(id).slice(0, tokens.length));
    }
  });

  it("takes what breaks while it measures for a model that shares nothing, and answers every run", async () => {
    const scene = new Scene({ maxRows: 1 });
    await scene.run([{}, {}]);
    await scene.end();
    expect(scene.use?.sharing).toBe("alone");
    for (const id of scene.ids) expect(scene.tokens.get(id)).toEqual(scene.expected(id));
  });

  it("lets the user's function choose, and blames its errors on the text that it was called for", async () => {
    const scene = new Scene({}, (_scores, { tokens, promptLength, position }) => {
      if (tokens[0] === 66 && position === 2) throw new Error("on purpose");
      return tokens[promptLength - 1]! + position;
    });
    await scene.run([{ tokens: [1, 5] }, { tokens: [66, 7] }, { tokens: [2, 3, 9] }]);
    await scene.end();
    expect(scene.tokens.get(0)).toEqual([5, 6, 7, 8, 9]);
    expect(scene.tokens.get(1)).toEqual([7, 8]);
    expect(scene.tokens.get(2)).toEqual([9, 10, 11, 12, 13]);
    expect([...scene.errors]).toEqual([[1, "choose: on purpose"]]);
  });

  it("ends a run when a text has ended for whose place others wait", async () => {
    const scene = new Scene({ runMs: 0.1 });
    await scene.run([{ maxNewTokens: 2 }], { isCrowded: true });
    expect(scene.fake.seen).toHaveLength(2);
    await scene.run([{ maxNewTokens: 1000 }]);
    expect(scene.fake.seen.length).toBeGreaterThan(50);
  });

  it("makes no step of a paused text, and keeps its cache", async () => {
    const scene = new Scene({ runMs: 10 });
    await scene.run([{ maxNewTokens: 9 }, { maxNewTokens: 9 }]);
    while (scene.use?.sharing === null || scene.tokens.get(1)!.length < 2) await scene.run();
    const before = scene.tokens.get(0)!.length;
    const { cacheBytes } = scene.use!;
    scene.fake.seen.length = 0;
    await scene.run([], { paused: [0] });
    await scene.run([], { paused: [0, 1] });
    expect(scene.fake.seen.map(({ rows, tokens }) => ({ rows, tokens }))).toEqual([{ rows: 1, tokens: 1 }]);
    expect(scene.tokens.get(0)).toHaveLength(before);
    expect(scene.use!.cacheBytes).toBeGreaterThan(cacheBytes);
    await scene.end();
    for (const id of scene.ids) expect(scene.tokens.get(id)).toEqual(scene.expected(id));
    expect(scene.fake.seen.every(({ tokens }) => tokens === 1)).toBe(true);
  });

  it("goes on from the tokens that another worker has chosen", async () => {
    const scene = new Scene();
    const prompt = [3, 1, 4];
    const first = scene.fake.text(prompt, 4);
    await scene.run([{ tokens: [...prompt, ...first], promptLength: 3, maxNewTokens: 10 }]);
    await scene.end();
    expect(scene.tokens.get(0)).toEqual(scene.fake.text(prompt, 10).slice(4));
  });

  it("tells the bytes of the caches, and none when the texts have gone", async () => {
    const scene = new Scene({ runMs: 10 });
    await scene.run([{ tokens: [1, 2, 3], maxNewTokens: 50 }]);
    expect(scene.use?.cacheBytes).toBe(3 * 4);
    scene.drop(0);
    await scene.run();
    expect(scene.use?.cacheBytes).toBe(0);
  });
});
