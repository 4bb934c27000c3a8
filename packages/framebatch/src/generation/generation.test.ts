import * as ort from "onnxruntime-web/wasm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { uniformAt } from "./choose-token.js";
import { generatingInNode, promptOf } from "../../test/support/generating-in-node.js";
import { modelInNode, stubBrowser } from "../../test/support/model-in-node.js";
import { DecoderByHand, type TextByHand } from "../../test/support/text-by-hand.js";
import { handledSite, hostSite } from "../../test/support/channel-worker.js";
import { generateModel } from "@framebatch/models/generate";

beforeAll(() => stubBrowser());
afterAll(() => void vi.unstubAllGlobals());

/** Texts of random lengths, each drawn by another rule. */
function randomTexts(count: number, seed: number, longest: number): TextByHand[] {
  let drawn = 0;
  const random = () => uniformAt(seed, drawn++);
  return Array.from({ length: count }, (_, index) => {
    const prompt = promptOf(1 + Math.floor(random() * longest), index + seed);
    const sample = index % 3 === 0 ? { temperature: 0.8, topK: 20, topP: 0.95, seed: index } : null;
    return {
      prompt,
      maxNewTokens: 1 + Math.floor(random() * 20),
      stop: [7],
      sample,
      repetitionPenalty: index % 2 === 0 ? 1 : 1.3,
    };
  });
}

const optionsOf = ({ maxNewTokens, stop = [], sample, repetitionPenalty = 1 }: TextByHand) => ({
  maxNewTokens,
  stop: [...stop],
  repetitionPenalty,
  ...(sample && { sample }),
});

describe.each([
  ["decoder-learned", "left"],
  ["decoder-rotary", "left"],
  ["decoder-alibi", "left"],
  ["decoder-gqa", "right"],
  ["decoder-counting", "equal"],
  ["decoder-mixing", "alone"],
] as const)("%s", (name, sharing) => {
  it(`shares steps as measured (${sharing}), and each text is the one that plain ONNX Runtime gives alone`, async () => {
    await using model = await generatingInNode(name);
    const byHand = await DecoderByHand.of(name);
    const texts = randomTexts(24, 5, 30);
    const expected: number[][] = [];
    for (const text of texts) expected.push(await byHand.text(text));
    const generated = texts.map((text) => model.generate({ input_ids: text.prompt }, optionsOf(text)));
    const results = await Promise.all(generated.map(({ result }) => result));
    expect(results.map(({ tokens }) => tokens)).toEqual(expected);
    for (const [index, { tokens, reason }] of results.entries()) {
      expect(reason).toBe(tokens.at(-1) === 7 ? "stop" : "length");
      expect(tokens.length).toBeLessThanOrEqual(texts[index]!.maxNewTokens);
    }
    const { generation } = model.stats();
    expect(generation).toMatchObject({ running: 0, waiting: 0, sharing, cacheBytes: 0 });
    expect(generation.tokens).toBe(expected.flat().length);
    // How many depends on the machine: where steps take long, prompts are taken in small pieces, and fewer texts meet.
    if (sharing === "left" || sharing === "right") expect(generation.batchSize).toBeGreaterThan(1);
    await byHand.release();
  });
});

describe("generate", () => {
  it("gives each step what its encoder has returned, whose caches the first run fills, in a merged file", async () => {
    await using model = await generatingInNode("decoder-merged");
    const byHand = await DecoderByHand.of("decoder-merged");
    const texts = Array.from({ length: 12 }, (_, index) => {
      const length = 5 + 3 * (index % 2);
      const data = Float32Array.from({ length: length * 32 }, (_element, at) => Math.sin(at * (index + 1)));
      const mask = Array.from({ length }, (_element, at) => Number(at < length - (index % 3)));
      const prompt = promptOf(index < 6 ? 1 : 2 + (index % 3), index);
      return { prompt, length, data, mask, maxNewTokens: 8 + (index % 4) };
    });
    const generated = texts.map(({ prompt, length, data, mask, maxNewTokens }) =>
      model.generate(prompt, {
        maxNewTokens,
        given: { encoder_hidden_states: { data, dims: [length, 32] }, encoder_attention_mask: mask },
      }),
    );
    for (const [index, { prompt, length, data, mask, maxNewTokens }] of texts.entries()) {
      const given = {
        encoder_hidden_states: new ort.Tensor("float32", data, [1, length, 32]),
        encoder_attention_mask: new ort.Tensor("int64", BigInt64Array.from(mask, BigInt), [1, length]),
      };
      const { tokens } = await generated[index]!.result;
      expect(tokens).toEqual(await byHand.text({ prompt, maxNewTokens, given }));
    }
    expect(
      new Set(await Promise.all(generated.map(async ({ result }) => String((await result).tokens)))).size,
    ).toBeGreaterThan(6);
    const { sharing, steps } = model.stats().generation;
    expect(sharing).toBe("equal");
    const pair = texts.slice(0, 2).map(({ length, data, mask }) =>
      model.generate([1, 2], {
        maxNewTokens: 12,
        given: { encoder_hidden_states: { data, dims: [length, 32] }, encoder_attention_mask: mask },
      }),
    );
    await Promise.all(pair.map(({ result }) => result));
    // Texts whose encoder has seen other lengths share steps too: apart, each needs 11.
    expect(model.stats().generation.steps - steps).toBeLessThan(2 * 11);
    const without = model.generate([1], { maxNewTokens: 3 });
    await expect(without.result).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await byHand.release();
  });

  it("measures once more which texts share steps, when what the first of them gives is bad", async () => {
    await using model = await generatingInNode("decoder-merged");
    const givenOf = (element: number) => ({
      encoder_hidden_states: { data: new Float32Array(4 * 32).fill(element), dims: [4, 32] },
      encoder_attention_mask: [1, 1, 1, 1],
    });
    const bad = model.generate([1, 2], { given: givenOf(Number.NaN) });
    const write = () =>
      Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          await model.generate([1, 3 + index], { maxNewTokens: 20, given: givenOf(index / 8) }).result;
        }),
      );
    const first = write();
    await expect(bad.result).rejects.toMatchObject({ code: "INFERENCE_FAILED" });
    await first;
    const { sharing, steps } = model.stats().generation;
    expect(sharing).toBe("equal");
    await write();
    // Each of the second texts needs 19.
    expect(model.stats().generation.steps - steps).toBeLessThan(8 * 10);
  });

  it("rejects a text that waits for its encoder when its model is disposed of, or was before", async () => {
    const model = await generatingInNode("decoder-merged");
    const never = new Promise<never>(() => undefined);
    const write = () => model.generate([1], { given: { outputs: never, givenFor: () => never } });
    const text = write();
    await model.dispose();
    for (const { result } of [text, write()]) await expect(result).rejects.toMatchObject({ code: "DISPOSED" });
  });

  it("is told the names of a file that has others", async () => {
    const names = {
      tokens: "ids",
      mask: "mask",
      positions: "places",
      logits: "scores",
      caches: { "cache_in_*": "cache_out_*" },
    };
    await using model = await generatingInNode("decoder-other-names", names);
    const byHand = await DecoderByHand.of("decoder-other-names");
    const { tokens } = await model.generate({ ids: promptOf(6, 1) }, { maxNewTokens: 9 }).result;
    expect(tokens).toEqual(await byHand.text({ prompt: promptOf(6, 1), maxNewTokens: 9 }));
    await byHand.release();
  });

  it("refuses a file whose names tell nothing, with what was looked for and how to name it", async () => {
    const error = await generatingInNode("decoder-other-names").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FramebatchError);
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(String(error)).toContain(
      'expected an input for the tokens ("input_ids", "decoder_input_ids"), got "ids", "mask"',
    );
    await expect(generatingInNode("mlp-tiny")).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("gives each token as soon as it is there, and frees the place of a text that is left or aborted", async () => {
    await using model = await generatingInNode("decoder-learned", true, { maxBatchSize: 2 });
    const stays = model.generate(promptOf(5, 1), { maxNewTokens: 40 });
    const controller = new AbortController();
    const aborted = model.generate(promptOf(5, 2), { maxNewTokens: 100, signal: controller.signal });
    const waiting = model.generate(promptOf(5, 3), { maxNewTokens: 5 });
    let count = 0;
    for await (const token of aborted) {
      expect(token).toBeGreaterThanOrEqual(0);
      if (++count === 3) break;
    }
    await expect(aborted.result).rejects.toMatchObject({ name: "AbortError" });
    await expect(waiting.result).resolves.toMatchObject({ reason: "length" });
    const next = model.generate(promptOf(5, 4), { signal: controller.signal });
    controller.abort("enough");
    await expect(next.result).rejects.toBe("enough");
    await expect(model.generate([1], { signal: controller.signal }).result).rejects.toBe("enough");
    const seen: number[] = [];
    for await (const token of stays) seen.push(token);
    expect((await stays.result).tokens).toEqual(seen);
    expect(seen).toHaveLength(40);
    await expect.poll(() => model.stats().generation).toMatchObject({ running: 0, waiting: 0, cacheBytes: 0 });
  });

  it("rejects at once what the model cannot take, and harms no other text", async () => {
    await using model = await generatingInNode("decoder-learned");
    const good = model.generate(promptOf(4, 1), { maxNewTokens: 12 });
    const refused = async (...call: Parameters<typeof model.generate>) => {
      const error = await model.generate(...call).result.catch((thrown: unknown) => thrown);
      return error instanceof FramebatchError ? `${error.code} ${error.message}` : String(error);
    };
    expect(await refused([])).toContain(
      'INVALID_INPUT input "input_ids": expected at least one token, from 0 to 60, got none',
    );
    expect(await refused([1, 61])).toContain("got token 61");
    expect(await refused({ input_id: [1] })).toContain("INVALID_INPUT");
    expect(await refused([1], { maxNewTokens: 0 })).toContain("INVALID_OPTION maxNewTokens");
    expect(await refused([1], { sample: { topP: 2 } })).toContain("INVALID_OPTION sample.topP");
    expect(await refused([1], { stop: [-1] })).toContain("INVALID_OPTION stop");
    expect(await refused([1], { given: { x: [1] } })).toContain("INVALID_INPUT");
    // @ts-expect-error: a wrong name
    expect(await refused([1], { maxNewToken: 3 })).toContain('did you mean "maxNewTokens"?');
    // 128 positions: the text fails where it leaves them, in a step that it shares.
    const long = model.generate(promptOf(120, 3), { maxNewTokens: 60 });
    await expect(long.result).rejects.toMatchObject({ code: "INFERENCE_FAILED" });
    const byHand = await DecoderByHand.of("decoder-learned");
    expect((await good.result).tokens).toEqual(await byHand.text({ prompt: promptOf(4, 1), maxNewTokens: 12 }));
    await byHand.release();
  });

  it("reads each option once, and hears of an abort while it reads the inputs", async () => {
    await using model = await generatingInNode("decoder-learned");
    let reads = 0;
    const options = {
      get maxNewTokens() {
        return reads++ === 0 ? 2 : Number.NaN;
      },
    };
    expect((await model.generate([1], options).result).tokens).toHaveLength(2);
    const controller = new AbortController();
    const inputs = {
      get input_ids() {
        controller.abort("enough");
        return [1];
      },
    };
    const text = model.generate(inputs, { signal: controller.signal, maxNewTokens: 3 });
    await expect(text.result).rejects.toBe("enough");
  });

  it("runs one text at a time without batching", async () => {
    await using model = await generatingInNode("decoder-learned", true, { batching: false });
    const texts = [1, 2, 3].map((seed) => model.generate(promptOf(3, seed), { maxNewTokens: 5 }));
    await Promise.all(texts.map(({ result }) => result));
    expect(model.stats().generation).toMatchObject({ batchSize: 1, sharing: null });
  });

  it("lets texts wait that do not fit into maxCacheBytes, and refuses one that never would", async () => {
    // 2 layers of keys and values of 32 numbers.
    const bytesPerToken = 2 * 2 * 32 * 4;
    const maxCacheBytes = 3 * 30 * bytesPerToken;
    await using model = await generatingInNode("decoder-learned", { maxCacheBytes });
    const texts = Array.from({ length: 7 }, (_, index) => model.generate(promptOf(10, index), { maxNewTokens: 20 }));
    let most = 0;
    for await (const _ of texts[6]!) most = Math.max(most, model.stats().generation.running);
    await Promise.all(texts.map(({ result }) => result));
    expect(most).toBeLessThanOrEqual(3);
    await expect(model.generate([1], { maxNewTokens: 90 }).result).rejects.toThrow(
      `expected a text whose cache has at most ${maxCacheBytes} bytes (maxCacheBytes), got 91 tokens of ${bytesPerToken} bytes`,
    );
  });

  it("runs prompt and tokens so far again when its worker is lost, and says nothing twice", async () => {
    const site = hostSite();
    await using model = await generatingInNode("decoder-rotary", true, {}, site);
    const byHand = await DecoderByHand.of("decoder-rotary");
    const texts = randomTexts(9, 3, 12).map((text) => ({ ...text, maxNewTokens: 60, stop: [] }));
    const seen = texts.map((): number[] => []);
    const generated = texts.map((text) => model.generate(text.prompt, optionsOf(text)));
    const reading = generated.map(async (text, index) => {
      for await (const token of text) {
        seen[index]!.push(token);
        const isTime = seen[index]!.length === 10 || seen[index]!.length === 30;
        if (index === 4 && isTime) site.started.at(-1)!.fail("the worker of the test has ended");
      }
    });
    await Promise.all(reading);
    expect(site.started.length).toBeGreaterThanOrEqual(3);
    for (const [index, text] of texts.entries()) {
      expect(seen[index]).toEqual(await byHand.text(text));
      expect((await generated[index]!.result).tokens).toEqual(seen[index]);
    }
    await byHand.release();
  });

  it("frees its memory between two runs, and goes on when it is loaded again", async () => {
    await using model = await generatingInNode("decoder-rotary");
    const byHand = await DecoderByHand.of("decoder-rotary");
    const text = model.generate(promptOf(4, 1), { maxNewTokens: 600 });
    const seen: number[] = [];
    for await (const token of text) {
      seen.push(token);
      if (seen.length !== 1) continue;
      expect(model.isBusy).toBe(true);
      await model.unload();
      expect([model.state, model.memoryBytes]).toEqual(["unloaded", 0]);
      const before = model.stats().generation.tokens;
      expect(before).toBeLessThan(600);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(model.stats().generation.tokens).toBe(before);
      await model.restart();
    }
    expect(seen).toEqual(await byHand.text({ prompt: promptOf(4, 1), maxNewTokens: 600 }));
    expect(model.isBusy).toBe(false);
    await byHand.release();
  });

  it("rejects texts that wait for the model to be loaded again when it is disposed of", async () => {
    const model = await generatingInNode("decoder-learned");
    await model.unload();
    const { result } = model.generate([1]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await model.dispose();
    await expect(result).rejects.toMatchObject({ code: "DISPOSED" });
  });

  it("rejects every text when the model is disposed of, and later ones", async () => {
    const model = await generatingInNode("decoder-learned", true, { maxBatchSize: 2 });
    const texts = Array.from({ length: 5 }, (_, index) => model.generate(promptOf(3, index), { maxNewTokens: 120 }));
    for await (const _ of texts[0]!) break;
    await model.dispose();
    for (const { result } of texts.slice(1)) await expect(result).rejects.toMatchObject({ code: "DISPOSED" });
    await expect(model.generate([1]).result).rejects.toMatchObject({ code: "DISPOSED" });
  });

  it("ends texts in time, and for a newer one with the same key", async () => {
    await using model = await generatingInNode("decoder-learned");
    const first = model.generate(promptOf(3, 1), { maxNewTokens: 120, key: "draft" });
    const second = model.generate(promptOf(3, 2), { maxNewTokens: 3, key: "draft" });
    await expect(first.result).rejects.toMatchObject({ code: "SUPERSEDED" });
    await expect(second.result).resolves.toMatchObject({ reason: "length" });
    const late = model.generate(promptOf(3, 1), { maxNewTokens: 120, timeoutMs: 0.01 });
    await expect(late.result).rejects.toMatchObject({ code: "TIMED_OUT" });
  });

  it("predicts as any other model, too", async () => {
    await using model = await generatingInNode("decoder-learned");
    await using plain = await modelInNode(generateModel("decoder-learned").bytes, { executionProviders: ["wasm"] });
    const cache = { data: new Float32Array(0), dims: [2, 0, 16] };
    const caches = Object.fromEntries(
      model.inputs.flatMap(({ name }) => (name.startsWith("past") ? [[name, cache]] : [])),
    );
    const item = { input_ids: [1, 2], attention_mask: [1, 1], position_ids: [0, 1], ...caches };
    const [own, other] = [await model.predict(item), await plain.predict(item)];
    expect(own["logits"]!.data).toEqual(other["logits"]!.data);
  });
});

describe("choose", () => {
  /** No token three times in a row is even, and none is below 5. */
  const change = (scores: Float32Array, tokens: readonly number[]): void => {
    scores.fill(-Infinity, 0, 5);
    if (!tokens.slice(-2).every((token) => token % 2 === 0)) return;
    for (let token = 0; token < scores.length; token += 2) scores[token] = -Infinity;
  };

  it("takes part in the choice of each token, also in the next worker, and each text is the one that it is alone", async () => {
    const served = handledSite(() => ({ choose: (scores, { tokens }) => change(scores, tokens) }));
    await using model = await generatingInNode("decoder-rotary", true, {}, served, served);
    const byHand = await DecoderByHand.of("decoder-rotary");
    const texts = randomTexts(12, 9, 20).map((text) => ({ ...text, maxNewTokens: 40, stop: [] }));
    const generated = texts.map((text) => model.generate(text.prompt, optionsOf(text)));
    let seen = 0;
    for await (const _ of generated[0]!)
      if (++seen === 15) served.started.at(-1)!.fail("the worker of the test has ended");
    for (const [index, text] of texts.entries()) {
      expect((await generated[index]!.result).tokens).toEqual(await byHand.text({ ...text, change }));
    }
    expect(served.started.length).toBeGreaterThan(1);
    await byHand.release();
  });

  it("rejects the text that it fails for, and no other", async () => {
    const served = handledSite(() => ({
      choose: (_scores, { promptLength }) => (promptLength === 3 ? 61 : undefined),
    }));
    await using model = await generatingInNode("decoder-rotary", true, {}, served, served);
    const [good, bad] = [2, 3].map((length) => model.generate(promptOf(length, 1), { maxNewTokens: 9 }));
    await expect(bad!.result).rejects.toMatchObject({
      code: "HANDLER_FAILED",
      message: "choose: expected a whole number from 0 to 60, or nothing, got number 61; return a token of the model",
      details: { stage: "choose" },
    });
    const byHand = await DecoderByHand.of("decoder-rotary");
    expect((await good!.result).tokens).toEqual(await byHand.text({ prompt: promptOf(2, 1), maxNewTokens: 9 }));
    await byHand.release();
  });

  it("must be what the worker's module serves", async () => {
    const served = handledSite(() => ({ preprocess: () => [1] }));
    await expect(generatingInNode("decoder-rotary", true, {}, served, served)).rejects.toThrow(
      'serve: expected { choose } for a model that generates texts, got "preprocess"; leave others out',
    );
  });
});
