import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { resolveSignature } from "./batch-axis.js";
import type { BatchAxisOverrides, TensorMetadata } from "./signature.js";

const UNNAMED = 4294967295;

function tensor(name: string, ...shape: (string | number)[]): TensorMetadata {
  return { name, type: "float32", shape };
}

function axesOf(inputs: TensorMetadata[], outputs: TensorMetadata[], batchAxis?: BatchAxisOverrides) {
  const signature = resolveSignature(inputs, outputs, batchAxis);
  const entries = [...signature.inputs, ...signature.outputs].map((info) => [info.name, info.batchAxis]);
  return { ...Object.fromEntries(entries), fixedBatch: signature.fixedBatch };
}

describe("the batch axis", () => {
  it("is the leading dynamic dimension, named or not", () => {
    expect(axesOf([tensor("x", "batch", 4)], [tensor("y", "batch", 2)])).toEqual({ x: 0, y: 0, fixedBatch: null });
    expect(axesOf([tensor("x", UNNAMED, 4)], [tensor("y", UNNAMED, 2)])).toEqual({ x: 0, y: 0, fixedBatch: null });
    expect(axesOf([tensor("x", -1, 4)], [tensor("y", "", 2)])).toEqual({ x: 0, y: 0, fixedBatch: null });
  });

  it("is the symbol that inputs and outputs share, if several dynamic dimensions lead", () => {
    const inputs = [tensor("x", "batch", 4), tensor("anchors", "count", 4)];
    expect(axesOf(inputs, [tensor("y", "batch", 2)])).toEqual({ x: 0, anchors: null, y: 0, fixedBatch: null });
  });

  it("is found on inner axes by its symbol", () => {
    const inputs = [tensor("input", "batch", "samples"), tensor("state", 2, "batch", 128), tensor("sr")];
    const outputs = [tensor("output", "batch", 1), tensor("stateN", 2, "batch", 128)];
    expect(axesOf(inputs, outputs)).toEqual({ input: 0, state: 1, sr: null, output: 0, stateN: 1, fixedBatch: null });
  });

  it("is found by its name, even if fixed or other sizes lead", () => {
    const state = [tensor("state", 2, "batch", 8)];
    expect(axesOf(state, [tensor("next", 2, "batch", 8)])).toEqual({ state: 1, next: 1, fixedBatch: null });
    const frames = [tensor("frames", "time", "batch_size", 40), tensor("lengths", "batch_size")];
    expect(axesOf(frames, [tensor("y", "batch_size", "time", 9)])).toEqual({
      frames: 1,
      lengths: 0,
      y: 0,
      fixedBatch: null,
    });
    expect(axesOf([tensor("h", 1, "batch", 8)], [tensor("y", "batch", 8)])).toEqual({ h: 1, y: 0, fixedBatch: null });
  });

  it("is never missed between the fixed sizes of an unnamed state", () => {
    const inputs = (axis: string | number) => [tensor("x", UNNAMED, 4), tensor("state", 2, axis, 128)];
    const outputs = [tensor("y", UNNAMED, 2)];
    expect(() => axesOf(inputs(UNNAMED), outputs)).toThrow(
      'batchAxis: expected to know whether axis 1 of input "state" is the batch, got [2, ?, 128]; set batchAxis: { "state": 1 }, likewise for an output that continues it, or null if all items of a batch share the input',
    );
    expect(() => axesOf(inputs("unk__7"), outputs)).toThrow("whether axis 1");
    expect(axesOf(inputs(UNNAMED), outputs, { state: 1 })).toMatchObject({ x: 0, state: 1 });
    expect(axesOf(inputs(UNNAMED), outputs, { state: null })).toMatchObject({ x: 0, state: null });
    expect(axesOf(inputs("length"), outputs)).toMatchObject({ x: 0, state: null });
  });

  it("ignores names that exporters generate", () => {
    const inputs = [tensor("a", "unk__1", 4), tensor("b", "b_dynamic_axes_1", 4)];
    expect(axesOf(inputs, [tensor("y", "unk__9", 2)])).toEqual({ a: 0, b: 0, y: 0, fixedBatch: null });
  });

  it("is never a size of the items", () => {
    const inputs = [tensor("x", "batch", "seq")];
    expect(() => axesOf(inputs, [tensor("y", "seq", 2)])).toThrow('output "y": expected a dynamic batch dimension');
  });

  it("can be set by the user", () => {
    const inputs = [tensor("x", 2, UNNAMED, 4), tensor("scale", UNNAMED)];
    const overrides = { x: 1, scale: null, y: 1 };
    expect(axesOf(inputs, [tensor("y", 3, UNNAMED)], overrides)).toEqual({ x: 1, scale: null, y: 1, fixedBatch: null });
  });

  it("may be missing in every input: an item then has all tensors whole", () => {
    const inputs = [tensor("image", 3, "height", "width"), tensor("mode")];
    const outputs = [tensor("boxes", "n", 4), tensor("scores", 1, 7)];
    for (const chosen of [{}, { image: null }, { boxes: null }]) {
      const signature = resolveSignature(inputs, outputs, chosen);
      expect([...signature.inputs, ...signature.outputs].map(({ batchAxis }) => batchAxis)).toEqual([
        null,
        null,
        null,
        null,
      ]);
      expect(signature.fixedBatch).toBe(1);
    }
  });

  it("may be null for an output that every item receives as a whole", () => {
    const outputs = [tensor("y", "batch", 2), tensor("classes", 7)];
    expect(axesOf([tensor("x", "batch", 4)], outputs, { classes: null })).toMatchObject({ y: 0, classes: null });
  });

  it("is accepted on outputs of unknown shape", () => {
    expect(axesOf([tensor("x", "batch", 4)], [tensor("y")], { y: 0 })).toMatchObject({ y: 0 });
  });
});

describe("a fixed batch", () => {
  it("is a leading size common to inputs and outputs", () => {
    expect(axesOf([tensor("x", 4, 8)], [tensor("y", 4, 2)])).toEqual({ x: 0, y: 0, fixedBatch: 4 });
  });

  it("leaves inputs with another leading size shared", () => {
    const inputs = [tensor("x", 4, 8), tensor("size", 2)];
    expect(axesOf(inputs, [tensor("y", 4, 2)])).toEqual({ x: 0, size: null, y: 0, fixedBatch: 4 });
  });

  it("of one returns every output as a whole to its only row", () => {
    expect(axesOf([tensor("x", 1, 8)], [tensor("boxes", "count", 4)])).toEqual({ x: 0, boxes: null, fixedBatch: 1 });
  });

  it("of one stays one if another size is dynamic, because a single row is correct in any case", () => {
    const outputs = [tensor("y", 1, "length")];
    expect(axesOf([tensor("x", 1, "length")], outputs)).toEqual({ x: 0, y: 0, fixedBatch: 1 });
  });

  it("is read from an override", () => {
    expect(axesOf([tensor("x", 3, 4)], [tensor("y", 9, 4)], { x: 1, y: 1 })).toEqual({ x: 1, y: 1, fixedBatch: 4 });
  });
});

it("keeps dims with null for dynamic sizes, and their names", () => {
  const { inputs } = resolveSignature([tensor("x", "batch", UNNAMED, "seq", 8)], [tensor("y", "batch")]);
  expect(inputs[0]).toEqual({
    name: "x",
    type: "float32",
    dims: [null, null, null, 8],
    symbols: ["batch", null, "seq", null],
    batchAxis: 0,
  });
});

describe("the signature is rejected", () => {
  const x = tensor("image", "batch", 4);
  const y = tensor("logits", "batch", 2);
  const wrong: { when: string; run: () => unknown; code: string; message: string }[] = [
    {
      when: "an output has no batch dimension",
      run: () => resolveSignature([x], [tensor("mean", 7)]),
      code: "INVALID_OPTION",
      message:
        'output "mean": expected a dynamic batch dimension, got [7]; set batchAxis: { "mean": AXIS } with the axis that counts the rows, or null if it is the same for all items of a batch or all of them decide it',
    },
    {
      when: "no input has a batch dimension, but an output is said to have one",
      run: () => resolveSignature([tensor("image", 784), tensor("mode")], [tensor("logits", 10)], { logits: 0 }),
      code: "INVALID_OPTION",
      message:
        'inputs: expected one with a batch dimension, got "image" [784], "mode" []; export the model with a leading dynamic dimension, or name the axis in batchAxis',
    },
    {
      when: "no input has a shape, so that no axis can be named",
      run: () => resolveSignature([tensor("image")], [tensor("logits")]),
      code: "INVALID_OPTION",
      message:
        'inputs: expected one with a batch dimension, got "image" []; export the model with the shapes of its inputs, the first dimension dynamic',
    },
    {
      when: "several dimensions could be the batch",
      run: () => resolveSignature([tensor("a", "n", 4), tensor("b", "m", 4)], [tensor("y", "k", 2)]),
      code: "INVALID_OPTION",
      message:
        'batchAxis: expected one dimension that can only be the batch, got "n" (input "a") and "m" (input "b"); say which it is, for example { "a": 0, "b": null }',
    },
    {
      when: "two dimension names denote the batch",
      run: () =>
        resolveSignature(
          [tensor("ids", "text_batch", "length"), tensor("image", "image_batch", 3)],
          [tensor("scores", "image_batch", "text_batch")],
        ),
      code: "INVALID_OPTION",
      message:
        'batchAxis: expected one dimension that can only be the batch, got "text_batch" (input "ids") and "image_batch" (input "image"); say which it is, for example { "ids": 0, "image": null }',
    },
    {
      when: "the leading dimension may be a size of the item",
      run: () => resolveSignature([tensor("x", "seq_len", 8)], [tensor("y", "seq_len", 2)]),
      code: "INVALID_OPTION",
      message:
        'batchAxis: expected one dimension that can only be the batch, got "seq_len" (input "x"); say which it is, for example { "x": 0 }',
    },
    {
      when: "a fixed size leads a dynamic one",
      run: () => resolveSignature([tensor("state", 2, "n", 8)], [tensor("next", 2, "n", 8)]),
      code: "INVALID_OPTION",
      message:
        'batchAxis: expected one dimension that can only be the batch, got input "state" [2, n, 8] with a fixed size in front; say for each input and output which axis it is, for example { "state": 1 }',
    },
    {
      when: "the batch is on an inner axis and an output does not name it",
      run: () => resolveSignature([tensor("x", "time", "batch", 8)], [tensor("y", UNNAMED, UNNAMED, 2)]),
      code: "INVALID_OPTION",
      message:
        'output "y": expected a dynamic batch dimension, got [?, ?, 2]; set batchAxis: { "y": AXIS } with the axis that counts the rows, or null if it is the same for all items of a batch or all of them decide it',
    },
    {
      when: "an output compares every row with every other",
      run: () => resolveSignature([tensor("x", "batch", 8)], [tensor("similarity", "batch", "batch")]),
      code: "INVALID_OPTION",
      message:
        '"similarity": expected the batch to be one dimension, got [batch, batch]; export the model without it, or set batchAxis: { "similarity": AXIS }',
    },
    {
      when: "batchAxis names an unknown tensor",
      run: () => resolveSignature([x], [y], { imgae: 0 }),
      code: "INVALID_OPTION",
      message:
        'batchAxis: expected the name of an input or output ("image", "logits"), got "imgae"; did you mean "image"?',
    },
    {
      when: "batchAxis names an axis that does not exist",
      run: () => resolveSignature([x], [y], { image: 2 }),
      code: "INVALID_OPTION",
      message: 'batchAxis["image"]: expected an axis of [batch, 4] (0 to 1) or null, got number 2; count axes from 0',
    },
    {
      when: "batchAxis gives a scalar an axis",
      run: () => resolveSignature([x, tensor("rate")], [y], { rate: 0 }),
      code: "INVALID_OPTION",
      message:
        'batchAxis["rate"]: expected null, since this input is a scalar or has no shape in the model, got 0; set null, or export the model with the input\'s shape',
    },
    {
      when: "inputs are fixed to different batch sizes",
      run: () => resolveSignature([tensor("a", 2, 4), tensor("b", 3, 4)], [y], { a: 0, b: 0 }),
      code: "INVALID_OPTION",
      message:
        "batchAxis: expected the same batch size in every input, got 2 and 3; set null for inputs that the batch shares",
    },
    {
      when: "batchAxis is not an object",
      run: () => Reflect.apply(resolveSignature, undefined, [[x], [y], 0]),
      code: "INVALID_OPTION",
      message: 'batchAxis: expected an object of axes by tensor name, got number 0; write { "image": 0 }',
    },
    {
      when: "a type has no array in JavaScript",
      run: () => resolveSignature([{ name: "x", type: "int4", shape: ["batch"] }], [y]),
      code: "MODEL_INVALID",
      message:
        'input "x": expected a tensor of a type that JavaScript has an array for, got int4; export the model without it',
    },
    {
      when: "an output is not a tensor",
      run: () => resolveSignature([x], [{ name: "probabilities" }]),
      code: "MODEL_INVALID",
      message:
        'output "probabilities": expected a tensor of a type that JavaScript has an array for, got a sequence, map or optional; export the model without it',
    },
    {
      when: "the batch is fixed at 0",
      run: () => resolveSignature([{ name: "x", type: "float32", shape: [0, 17] }], [{ ...y, shape: [0, 10] }]),
      code: "MODEL_INVALID",
      message:
        'inputs: expected a batch of at least one item, got "x" [0, 17]; export the model with a dynamic first dimension',
    },
    {
      when: "an output in a file is not a tensor",
      run: () => resolveSignature([x], [y, { name: "p", operator: "" }]),
      code: "MODEL_INVALID",
      message:
        'output "p": expected a tensor of a type that JavaScript has an array for, got a sequence, map or optional; leave it out with outputs: ["logits"], or export the model without it',
    },
  ];
  it.each(wrong)("if $when", ({ run, code, message }) => {
    expect(run).toThrow(FramebatchError);
    expect(run).toThrow(expect.objectContaining({ code, message }));
  });
});
