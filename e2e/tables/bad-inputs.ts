import type { ModelOptions } from "framebatch";
import type { Fault } from "./fault.js";

/** A call of `predict` that the SDK rejects. The message ends with what to do. */
export interface BadInput extends Omit<Fault, "advice"> {
  /** The model to call. @default "mlp-tiny": `x` float32 [batch, 64] */
  readonly model?: string;
  readonly modelOptions?: ModelOptions;
  /** Creates the item in the page, anew for every call. `unknown`, because callers without types can pass anything. */
  readonly item: () => unknown;
  readonly options?: () => unknown;
}

const FITTING = () => Float32Array.from({ length: 64 }, (_, index) => index / 64);

/**
 * Each bad input is sent between two valid requests, which must be answered. Rows for the same model are adjacent, so
 * that they share one loaded model.
 */
export const badInputs: readonly BadInput[] = [
  {
    id: "too-few-elements",
    fault: "An array that is too short",
    code: "INVALID_INPUT",
    message: 'input "x": expected 64 elements for dims [64], got 63; pass as many as the dims ask for',
    item: () => new Float32Array(63),
  },
  {
    id: "several-items-as-one",
    fault: "Two items in one array",
    code: "INVALID_INPUT",
    message:
      'input "x": expected 64 elements for dims [64], got 128; this looks like 2 items: pass one at a time, or use predictMany',
    item: () => new Float32Array(128),
  },
  {
    id: "no-elements",
    fault: "An empty array",
    code: "INVALID_INPUT",
    message: 'input "x": expected 64 elements for dims [64], got 0; pass as many as the dims ask for',
    item: () => new Float32Array(0),
  },
  {
    id: "integers-for-floats",
    fault: "An array of the wrong class",
    code: "INVALID_INPUT",
    message:
      'input "x": expected Float32Array or an array (float32), got Int32Array(64); convert it: Float32Array.from(data, Number)',
    item: () => new Int32Array(64),
  },
  {
    id: "doubles-for-floats",
    fault: "A Float64Array for a float32 input",
    code: "INVALID_INPUT",
    message:
      'input "x": expected Float32Array or an array (float32), got Float64Array(64); convert it: Float32Array.from(data, Number)',
    item: () => new Float64Array(64),
  },
  {
    id: "declared-type",
    fault: "A `type` that differs from the model's",
    code: "INVALID_INPUT",
    message: 'input "x": expected type float32, got int32; convert the data, and leave type out or set it to match',
    item: () => ({ data: FITTING(), type: "int32" }),
  },
  {
    id: "batch-axis-in-dims",
    fault: "`dims` that include the batch axis",
    code: "INVALID_INPUT",
    message: `input "x": expected dims [64], got [1, 64]; leave out the batch axis: dims are the item's own`,
    item: () => ({ data: FITTING(), dims: [1, 64] }),
  },
  {
    id: "other-dims",
    fault: "`dims` that do not fit the model",
    code: "INVALID_INPUT",
    message: 'input "x": expected dims [64], got [8, 8]; pass dims that fit the model',
    item: () => ({ data: FITTING(), dims: [8, 8] }),
  },
  {
    id: "dims-no-list",
    fault: "`dims` that are not an array",
    code: "INVALID_INPUT",
    message: 'input "x": expected dims [64], got string "64"; pass dims that fit the model',
    item: () => ({ data: FITTING(), dims: "64" }),
  },
  {
    id: "negative-dims",
    fault: "A negative size in `dims`",
    code: "INVALID_INPUT",
    message: 'input "x": expected dims [64], got [-64]; pass dims that fit the model',
    item: () => ({ data: FITTING(), dims: [-64] }),
  },
  {
    id: "not-a-number-in-dims",
    fault: "NaN in `dims`",
    code: "INVALID_INPUT",
    message: 'input "x": expected dims [64], got [NaN]; pass dims that fit the model',
    item: () => ({ data: FITTING(), dims: [Number.NaN] }),
  },
  {
    id: "unknown-input",
    fault: "An input that the model does not have",
    code: "INVALID_INPUT",
    message: 'input "x": expected float32 [64], got nothing; the item has "image": did you mean "x"?',
    item: () => ({ image: FITTING() }),
  },
  {
    id: "misspelt-input",
    fault: "An input name in the wrong case",
    code: "INVALID_INPUT",
    message: 'input "x": expected float32 [64], got nothing; the item has "X": did you mean "x"?',
    item: () => ({ X: FITTING() }),
  },
  {
    id: "extra-input",
    fault: "One input too many",
    code: "INVALID_INPUT",
    message: 'input "mask": expected only inputs of the model ("x"), got an unknown one; remove it',
    item: () => ({ x: FITTING(), mask: [1] }),
  },
  {
    id: "empty-item",
    fault: "An item without inputs",
    code: "INVALID_INPUT",
    message: 'input "x": expected float32 [64], got nothing; add it to the item',
    item: () => ({}),
  },
  {
    id: "null-item",
    fault: "`null` instead of an item",
    code: "INVALID_INPUT",
    message: 'item: expected an object of inputs by name, got null; write { "x": … }',
    item: () => null,
  },
  {
    id: "undefined-item",
    fault: "`undefined` instead of an item",
    code: "INVALID_INPUT",
    message: 'item: expected an object of inputs by name, got undefined; write { "x": … }',
    item: () => undefined,
  },
  {
    id: "string-item",
    fault: "A string instead of an item",
    code: "INVALID_INPUT",
    message: 'item: expected an object of inputs by name, got string "a cat"; write { "x": … }',
    item: () => "a cat",
  },
  {
    id: "number-item",
    fault: "A number instead of an item",
    code: "INVALID_INPUT",
    message: 'item: expected an object of inputs by name, got number 7; write { "x": … }',
    item: () => 7,
  },
  {
    id: "function-item",
    fault: "A function instead of an item",
    code: "INVALID_INPUT",
    message: 'item: expected an object of inputs by name, got a function; write { "x": … }',
    item: () => FITTING,
  },
  {
    id: "symbol-item",
    fault: "A symbol instead of an item",
    code: "INVALID_INPUT",
    message: 'item: expected an object of inputs by name, got a symbol; write { "x": … }',
    item: () => Symbol("x"),
  },
  {
    id: "promise-item",
    fault: "A promise instead of an item",
    code: "INVALID_INPUT",
    message: 'input "x": expected float32 [64], got nothing; add it to the item',
    item: () => Promise.resolve(FITTING()),
  },
  {
    id: "map-item",
    fault: "A Map instead of an item",
    code: "INVALID_INPUT",
    message: 'input "x": expected float32 [64], got nothing; add it to the item',
    item: () => new Map([["x", FITTING()]]),
  },
  {
    id: "array-buffer",
    fault: "A bare ArrayBuffer",
    code: "INVALID_INPUT",
    message: 'input "x": expected a tensor (float32 [64]), got an ArrayBuffer; view it as new Float32Array(buffer)',
    item: () => ({ x: FITTING().buffer }),
  },
  {
    id: "data-view",
    fault: "A DataView",
    code: "INVALID_INPUT",
    message: 'input "x": expected a tensor (float32 [64]), got a DataView; view it as new Float32Array(buffer)',
    item: () => ({ x: new DataView(FITTING().buffer) }),
  },
  {
    id: "words",
    fault: "Strings instead of numbers",
    code: "INVALID_INPUT",
    message: 'input "x": expected numbers (float32), got string "0.5" at index 0; convert it first',
    item: () => Array.from({ length: 64 }, () => "0.5"),
  },
  {
    id: "holes",
    fault: "An array with holes",
    code: "INVALID_INPUT",
    message: 'input "x": expected numbers (float32), got undefined at index 0; convert it first',
    item: () => Array(64),
  },
  {
    id: "nested-array",
    fault: "An array of arrays",
    code: "INVALID_INPUT",
    message: 'input "x": expected numbers (float32), got Array(1) at index 0; flatten the array: array.flat(Infinity)',
    item: () => Array.from({ length: 64 }, () => [1]),
  },
  {
    id: "null-element",
    fault: "`null` among numbers",
    code: "INVALID_INPUT",
    message: 'input "x": expected numbers (float32), got null at index 63; convert it first',
    item: () => [...FITTING().subarray(1), null],
  },
  {
    id: "bigints-for-floats",
    fault: "Bigints instead of floats",
    code: "INVALID_INPUT",
    message: 'input "x": expected numbers (float32), got bigint 1n at index 0; convert it first',
    item: () => Array(64).fill(1n),
  },
  {
    id: "detached",
    fault: "An array whose buffer was transferred (detached)",
    code: "INVALID_INPUT",
    message:
      'input "x": expected float32 [64], got one whose buffer was transferred away (detached Float32Array); predict before the transfer, or transfer a copy',
    item: detached,
  },
  {
    id: "shrunk",
    fault: "A view of a buffer that was resized to fewer bytes",
    code: "INVALID_INPUT",
    message: 'input "x": expected 64 elements for dims [64], got 0; pass as many as the dims ask for',
    item: shrunk,
  },
  {
    id: "throwing-getter",
    fault: "A getter that throws",
    code: "INVALID_INPUT",
    message: "item: expected inputs that can be read, got an error while reading them: not today; see its cause",
    item: throwingGetter,
  },
  {
    id: "hostile-proxy",
    fault: "A proxy whose traps all throw",
    code: "INVALID_INPUT",
    message: "item: expected inputs that can be read, got an error while reading them: a trap; see its cause",
    item: hostileProxy,
  },
  {
    id: "revoked-proxy",
    fault: "A revoked proxy",
    code: "INVALID_INPUT",
    message: "item: expected inputs that can be read, got an error while reading them: …; see its cause",
    item: revokedProxy,
  },
  {
    id: "endless-length",
    fault: "An array-like object with an impossible length",
    code: "INVALID_INPUT",
    message:
      'input "x": expected a tensor (float32 [64]), got an object with the key "length"; pass a typed array, an array, or { data, dims }',
    item: () => ({ x: { length: 2 ** 53 } }),
  },
  {
    id: "prototype-as-name",
    fault: "`__proto__` as the name of an input",
    code: "INVALID_INPUT",
    message: 'input "x": expected float32 [64], got nothing; the item has "__proto__": did you mean "x"?',
    item: () => JSON.parse('{ "__proto__": [1, 2, 3] }'),
  },
  {
    id: "constructor-as-name",
    fault: "`constructor` as the name of an input",
    code: "INVALID_INPUT",
    message: 'input "constructor": expected only inputs of the model ("x"), got an unknown one; remove it',
    item: () => ({ x: FITTING(), constructor: [1] }),
  },
  {
    id: "options-no-object",
    fault: "Options that are not an object",
    code: "INVALID_OPTION",
    message: 'options: expected an object, got string "fast"; leave it out for the defaults',
    item: FITTING,
    options: () => "fast",
  },
  {
    id: "misspelt-option",
    fault: "A misspelt option",
    code: "INVALID_OPTION",
    message: 'timeoutMS: expected an option that exists, got an unknown one; did you mean "timeoutMs"?',
    item: FITTING,
    options: () => ({ timeoutMS: 100 }),
  },
  {
    id: "signal-no-signal",
    fault: "An AbortController instead of its signal",
    code: "INVALID_OPTION",
    message: "signal: expected an AbortSignal, got an AbortController; pass controller.signal",
    item: FITTING,
    options: () => ({ signal: new AbortController() }),
  },
  {
    id: "unknown-priority",
    fault: "A priority that does not exist",
    code: "INVALID_OPTION",
    message:
      'priority: expected "user-blocking", "user-visible", "background", got string "high"; leave it out for "user-visible"',
    item: FITTING,
    options: () => ({ priority: "high" }),
  },
  {
    id: "timeout-zero",
    fault: "`timeoutMs` of 0",
    code: "INVALID_OPTION",
    message: "timeoutMs: expected a number of milliseconds above 0, got number 0; leave it out for no limit",
    item: FITTING,
    options: () => ({ timeoutMs: 0 }),
  },
  {
    id: "timeout-not-a-number",
    fault: "`timeoutMs` of NaN",
    code: "INVALID_OPTION",
    message: "timeoutMs: expected a number of milliseconds above 0, got number NaN; leave it out for no limit",
    item: FITTING,
    options: () => ({ timeoutMs: Number.NaN }),
  },
  {
    id: "timeout-string",
    fault: "`timeoutMs` as a string",
    code: "INVALID_OPTION",
    message: 'timeoutMs: expected a number of milliseconds above 0, got string "100"; leave it out for no limit',
    item: FITTING,
    options: () => ({ timeoutMs: "100" }),
  },
  {
    id: "key-no-string",
    fault: "A `key` that is not a string",
    code: "INVALID_OPTION",
    message: "key: expected a string, got number 7; leave it out to supersede nothing",
    item: FITTING,
    options: () => ({ key: 7 }),
  },
  {
    id: "transfer-no-boolean",
    fault: "`transfer` as an array",
    code: "INVALID_OPTION",
    message: "transfer: expected true or false, got Array(0); leave it out for false",
    item: FITTING,
    options: () => ({ transfer: [] }),
  },
  {
    id: "prototype-as-option",
    fault: "`__proto__` as an option",
    code: "INVALID_OPTION",
    message:
      '__proto__: expected an option that exists, got an unknown one; remove it; there are "signal", "priority", "timeoutMs", "key", "transfer"',
    item: FITTING,
    options: () => JSON.parse('{ "__proto__": 1 }'),
  },
  {
    id: "dims-and-data-apart",
    fault: "`dims` that do not match the number of elements",
    code: "INVALID_INPUT",
    message: 'input "seq": expected 4 elements for dims [4], got 3; pass as many as the dims ask for',
    model: "variable-length",
    item: () => ({ data: [1, 2, 3], dims: [4] }),
  },
  {
    id: "missing-input",
    fault: "One input too few",
    code: "INVALID_INPUT",
    message: 'input "b": expected float32 [4], got nothing; add it to the item',
    model: "two-inputs",
    item: () => ({ a: [1, 2, 3, 4] }),
  },
  {
    id: "sizes-apart",
    fault: "Two inputs that must have the same length and do not",
    code: "INVALID_INPUT",
    message:
      'input "mask": expected size 3 for "length", as in input "ids", got 2; give both the same size, or export the model with two names if the sizes may differ',
    model: "text-encoder",
    item: () => ({ ids: [1, 2, 3], mask: [1, 1] }),
  },
  {
    id: "dims-wanted",
    fault: "No `dims` for an input with two dynamic sizes",
    code: "INVALID_INPUT",
    message:
      'input "image": expected dims, as [3, height, width] is dynamic in several places, got only elements; pass { data, dims }',
    model: "two-dynamic-dims",
    item: () => ({ image: new Float32Array(48) }),
  },
  {
    id: "beyond-the-buckets",
    fault: "A sequence longer than the largest bucket",
    code: "INVALID_INPUT",
    message: 'input "seq": expected at most 4 for "length", got 5; shorten the item, or add a larger bucket to padding',
    model: "variable-length",
    modelOptions: { padding: { seq: { buckets: [2, 4] } } },
    item: () => [1, 2, 3, 4, 5],
  },
  {
    id: "int64-overflow",
    fault: "A bigint beyond 64 bits",
    code: "INVALID_INPUT",
    message:
      'input "x": expected bigints from -9223372036854775808 to 9223372036854775807, or safe integers (int64), got bigint 9223372036854775808n at index 0; convert it first',
    model: "affine-int64",
    item: () => [2n ** 63n, 0n, 0n, 0n],
  },
  {
    id: "int64-unsafe",
    fault: "A number beyond the safe integers for int64",
    code: "INVALID_INPUT",
    message:
      'input "x": expected bigints from -9223372036854775808 to 9223372036854775807, or safe integers (int64), got number 9007199254740992 at index 0; convert it first',
    model: "affine-int64",
    item: () => [2 ** 53, 0, 0, 0],
  },
  {
    id: "int64-fraction",
    fault: "A fraction instead of an integer",
    code: "INVALID_INPUT",
    message:
      'input "x": expected bigints from -9223372036854775808 to 9223372036854775807, or safe integers (int64), got number 0.5 at index 0; convert it first',
    model: "affine-int64",
    item: () => [0.5, 0, 0, 0],
  },
  {
    id: "uint8-overflow",
    fault: "256 for uint8",
    code: "INVALID_INPUT",
    message: 'input "x": expected whole numbers from 0 to 255 (uint8), got number 256 at index 0; convert it first',
    model: "affine-uint8",
    item: () => [256, 0, 0, 0],
  },
  {
    id: "uint8-negative",
    fault: "A negative number for uint8",
    code: "INVALID_INPUT",
    message: 'input "x": expected whole numbers from 0 to 255 (uint8), got number -1 at index 0; convert it first',
    model: "affine-uint8",
    item: () => [-1, 0, 0, 0],
  },
  {
    id: "bool-two",
    fault: "2 for bool",
    code: "INVALID_INPUT",
    message: 'input "x": expected true and false, or 1 and 0 (bool), got number 2 at index 0; convert it first',
    model: "not-bool",
    item: () => Uint8Array.of(2, 0, 1, 0),
  },
  {
    id: "numbers-for-strings",
    fault: "Numbers instead of strings",
    code: "INVALID_INPUT",
    message: 'input "x": expected strings (string), got number 1 at index 0; convert it first',
    model: "identity-string",
    item: () => [1, 2, 3, 4],
  },
  {
    id: "string-with-zero",
    fault: "A string with U+0000, which ONNX Runtime would cut off there",
    code: "INVALID_INPUT",
    message:
      'input "x": expected strings without U+0000, where ONNX Runtime would end them, got one at character 1 of the string at index 1; remove it',
    model: "identity-string",
    item: () => ["a", "b\0c", "", ""],
  },
  {
    id: "half-a-character",
    fault: "A string that was cut inside an emoji, so that UTF-8 cannot express it",
    code: "INVALID_INPUT",
    message:
      'input "x": expected whole characters, got half of one (U+D83D) at character 3 of the string at index 1; cut strings between characters, as Array.from(text).slice(0, n).join("") does, or pass text.toWellFormed()',
    model: "identity-string",
    item: () => ["a", "caf😀".slice(0, 4), "", ""],
  },
  {
    id: "not-a-number",
    fault: "NaN, with `validate`",
    code: "INVALID_INPUT",
    message: 'input "x": expected finite elements, got NaN at index 5; look for what made it',
    modelOptions: { validate: "finite" },
    item: () => FITTING().fill(Number.NaN, 5, 6),
  },
  {
    id: "infinity",
    fault: "Infinity, with `validate`",
    code: "INVALID_INPUT",
    message: 'input "x": expected finite elements, got Infinity at index 63; look for what made it',
    modelOptions: { validate: { x: { finite: true } } },
    item: () => FITTING().fill(Infinity, 63),
  },
  {
    id: "out-of-range",
    fault: "An element outside its range, with `validate`",
    code: "INVALID_INPUT",
    message: 'input "x": expected elements from 0 to 1, got 255 at index 0; correct it, or the range in validate',
    modelOptions: { validate: { x: { min: 0, max: 1 } } },
    item: () => FITTING().fill(255, 0, 1),
  },
];

function detached(): Float32Array {
  const array = FITTING();
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** Uses `Reflect`, because the TypeScript library used here has no types for resizable buffers yet. */
function shrunk(): Float32Array {
  const buffer: ArrayBuffer = Reflect.construct(ArrayBuffer, [256, { maxByteLength: 256 }]);
  const array = new Float32Array(buffer, 0, 64);
  Reflect.apply(Reflect.get(buffer, "resize"), buffer, [8]);
  return array;
}

function throwingGetter(): object {
  return {
    get x(): never {
      throw new Error("not today");
    },
  };
}

function hostileProxy(): object {
  const refuse = () => {
    throw new TypeError("a trap");
  };
  return new Proxy(
    {},
    { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse },
  );
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
