import { describe, expect, it } from "vitest";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { TensorInfo, TensorType } from "@framebatch/rows/tensor/tensor.js";
import { knownAxes, readDecoder } from "./decoder.js";

function tensor(
  name: string,
  type: TensorType,
  dims: readonly (number | string)[],
  batchAxis: number | null = 0,
): TensorInfo {
  return {
    name,
    type,
    dims: dims.map((size) => (typeof size === "number" ? size : null)),
    symbols: dims.map((size) => (typeof size === "string" ? size : null)),
    batchAxis,
  };
}

const ids = (name: string) => tensor(name, "int64", ["batch", "tokens"]);
const cache = (name: string, along = "past") => tensor(name, "float32", ["batch", 4, along, 8]);
const LOGITS = tensor("logits", "float32", ["batch", "tokens", 50]);

function signature(inputs: readonly TensorInfo[], outputs: readonly TensorInfo[]): ModelSignature {
  return { inputs, outputs, fixedBatch: null };
}

const USUAL = signature(
  [
    ids("input_ids"),
    ids("attention_mask"),
    ids("position_ids"),
    cache("past_key_values.0.key"),
    cache("past_key_values.0.value"),
  ],
  [LOGITS, cache("present.0.key", "total"), cache("present.0.value", "total")],
);

describe("readDecoder", () => {
  it("reads the names that exporters write", () => {
    const decoder = readDecoder(USUAL, {});
    expect(decoder).toMatchObject({
      tokens: { name: "input_ids" },
      mask: { name: "attention_mask" },
      positions: { name: "position_ids" },
      logits: { name: "logits" },
      cachePosition: null,
      given: [],
    });
    expect(decoder.caches.map(({ input, output, axis, batchAxis }) => [input.name, output, axis, batchAxis])).toEqual([
      ["past_key_values.0.key", "present.0.key", 2, 0],
      ["past_key_values.0.value", "present.0.value", 2, 0],
    ]);
  });

  it.each([
    ["past_key_0", "present_key_0"],
    ["past_value_0", "present_value_0"],
    ["past_key_values_3_key", "present_key_values_3_key"],
    ["past.0", "present.0"],
    ["past_0", "present_0"],
  ])("pairs %s with %s", (past, present) => {
    const [pair] = readDecoder(signature([ids("input_ids"), cache(past)], [LOGITS, cache(present)]), {}).caches;
    expect(pair).toMatchObject({ input: { name: past }, output: present, axis: 2 });
  });

  it("tells caches of an encoder, which no step changes, from those that grow", () => {
    const names = ["past_key_values.0.decoder.key", "past_key_values.0.encoder.key"];
    const read = readDecoder(
      signature(
        [ids("input_ids"), ...names.map((name) => cache(name)), tensor("use_cache_branch", "bool", [1], null)],
        [LOGITS, ...names.map((name) => cache(name.replace("past_key_values", "present")))],
      ),
      {},
    );
    expect(read.caches.map(({ axis, grows }) => [axis, grows])).toEqual([
      [2, true],
      [2, false],
    ]);
    expect(read.cacheBranch?.name).toBe("use_cache_branch");
  });

  it("takes what has no role as given by each text, and knows the inputs that a batch shares", () => {
    const inputs = [
      ...USUAL.inputs,
      tensor("encoder_hidden_states", "float32", ["batch", "length", 32]),
      tensor("cache_position", "int64", ["tokens"], null),
      tensor("num_logits_to_keep", "int64", [], null),
    ];
    const read = readDecoder(signature(inputs, USUAL.outputs), {});
    expect(read.given.map(({ name }) => name)).toEqual(["encoder_hidden_states"]);
    expect([read.cachePosition?.name, read.keptLogits?.name]).toEqual(["cache_position", "num_logits_to_keep"]);
    expect(knownAxes(inputs, {})).toEqual({ cache_position: null, num_logits_to_keep: null });
  });

  it("knows the batch axis of a mask whose batch has a name of its own", () => {
    const inputs = ["input_ids", "attention_mask", "m", "x"].map((name) => ({
      name,
      shape: [`batch of ${name}`, "n"],
    }));
    expect(knownAxes(inputs, {})).toEqual({ input_ids: 0, attention_mask: 0 });
    expect(knownAxes(inputs, { mask: "m" })).toMatchObject({ m: 0 });
    expect(knownAxes([{ name: "attention_mask", shape: [1, "n"] }], {})).toEqual({});
  });

  it.each([
    ["with no cache to go on from", ["input_ids"], ["present.0.key"]],
    ["with an encoder's cache that it takes only", ["past_key_values.0.encoder.key"], ["present.0.decoder.key"]],
  ])("says which file to take in place of one half of a text, %s", (_, inputs, outputs) => {
    const half = signature(
      [ids("input_ids"), ...inputs.filter((name) => name !== "input_ids").map((name) => cache(name))],
      [LOGITS, ...outputs.map((name) => cache(name))],
    );
    expect(() => readDecoder(half, {})).toThrow("decoder_model_merged.onnx");
  });

  it("is told the names that are others", () => {
    const other = signature(
      [ids("ids"), ids("m"), ids("p"), cache("in_0")],
      [tensor("scores", "float32", ["batch", "tokens", 50]), cache("out_0")],
    );
    const names = { tokens: "ids", mask: "m", positions: "p", logits: "scores", caches: { "in_*": "out_*" } };
    const decoder = readDecoder(other, names);
    expect([decoder.tokens.name, decoder.mask?.name, decoder.positions?.name, decoder.logits.name]).toEqual([
      "ids",
      "m",
      "p",
      "scores",
    ]);
    expect(decoder.caches).toMatchObject([{ input: { name: "in_0" }, output: "out_0" }]);
  });

  it.each([
    [
      [ids("x"), cache("past.0")],
      [LOGITS, cache("present.0")],
      {},
      'generate: expected an input for the tokens ("input_ids", "decoder_input_ids"), got "x", "past.0"; name it: generate: { tokens: "x" }',
    ],
    [
      [ids("input_ids"), cache("past.0")],
      [cache("present.0")],
      {},
      'expected an output for the logits ("logits"), got "present.0"',
    ],
    [[ids("input_ids")], [LOGITS], {}, 'generate: expected caches among the inputs ("past_key_values.*", '],
    [
      [ids("input_ids"), cache("past.0")],
      [LOGITS],
      {},
      'expected an output for the cache "past.0" ("present.0"), got "logits"; name it: generate: { caches: { "past.0": "…" } }',
    ],
    [
      [ids("input_ids"), tensor("past.0", "float32", ["batch", 4, 64, 8])],
      [LOGITS, cache("present.0")],
      {},
      'the cache "past.0" with one dynamic size behind the batch, along which it grows, got [?, 4, 64, 8]',
    ],
    [
      [ids("input_ids"), tensor("past.0", "float32", ["batch", "heads", "past", 8])],
      [LOGITS, cache("present.0")],
      {},
      "got [?, ?, ?, 8]",
    ],
    [
      [tensor("input_ids", "float32", ["batch", "tokens"]), cache("past.0")],
      [LOGITS, cache("present.0")],
      {},
      'generate.tokens: expected int32 or int64 of [batch, tokens], got "input_ids" of float32 [?, ?]',
    ],
    [
      [ids("input_ids"), cache("past.0")],
      [LOGITS, cache("present.0")],
      { mask: "attention_mas" },
      'generate.mask: expected the name of an input ("input_ids", "past.0"), got "attention_mas"',
    ],
    [
      [ids("input_ids"), cache("past.0")],
      [tensor("logits", "int64", ["batch", "tokens", 50]), cache("present.0")],
      {},
      'generate.logits: expected floating-point numbers of [batch, tokens, vocabulary] or [batch, vocabulary], got "logits" of int64',
    ],
    [
      [ids("input_ids"), cache("past.0"), tensor("state", "float32", [2, "batch", 8], 1)],
      [LOGITS, cache("present.0")],
      {},
      'the input "state" with the batch in front, got [2, ?, 8] with the batch on axis 1',
    ],
  ] as const)("refuses a file that tells nothing (%#)", (inputs, outputs, names, message) => {
    expect(() => readDecoder(signature([...inputs], [...outputs]), names)).toThrow(message);
  });
});
