import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeDims, describeValue } from "@framebatch/batcher/errors/description.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { Tensor, TensorData, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { decodeStrings, DATATYPES } from "./datatypes.js";
import { JSON_SIZE_HEADER } from "./encode.js";
import { isShape, MAX_RANK, withRank } from "./metadata.js";
import { quoted, type RemoteErrors } from "./remote-errors.js";

/** The whole body of a response with a status of success. */
export interface Answer {
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The outputs of one inference. */
export interface Decoded {
  readonly outputs: Readonly<Record<string, Tensor>>;
  /** The outputs with a `null` in place of a number. */
  readonly nulls: readonly Nulls[];
}

/** An output with elements that are unknown: JSON has one notation for NaN and both infinities. */
export interface Nulls {
  readonly output: string;
  /** Has the dims of the output, with 1 for each element that is unknown, otherwise 0. */
  readonly marks: Tensor;
  /** The error of an item with such an element. */
  readonly error: FramebatchError;
}

const BROKEN = "the server or something in front of it is broken: try another version of it";

/** Reads a body that is JSON. @throws REMOTE_INVALID when it is not */
export function readJson(bytes: Uint8Array, errors: RemoteErrors): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw errors.invalid(`${bytes.byteLength} bytes that are not JSON, or not all of it`, BROKEN);
  }
}

/**
 * Reads the outputs of an inference, in memory of their own. Takes nothing on trust: a size counts only if the elements
 * for it are there.
 * @param expected the outputs of the model
 * @param nullAs the number that a `null` stands for; `null` if that is unknown
 * @throws REMOTE_INVALID when one is missing, or does not have the type, the dims and the elements that it should
 */
export function decodeAnswer(
  answer: Answer,
  expected: readonly TensorInfo[],
  errors: RemoteErrors,
  nullAs: number | null = null,
): Decoded {
  const { json, binary } = partsOf(answer, errors);
  const found = outputsOf(json, binary, errors);
  const outputs: Record<string, Tensor> = {};
  const nulls: Nulls[] = [];
  for (const info of expected) {
    const output = found.get(info.name);
    if (output === undefined) throw errors.invalid(`no output ${quoted(info.name)}`, BROKEN);
    const tensor = tensorOf(output, info, errors, nullAs);
    outputs[info.name] = tensor;
    const marks = nullAs === null ? marksOf(output, tensor) : null;
    if (marks !== null) nulls.push({ output: info.name, marks, error: errors.unknownNumber(info.name) });
  }
  return { outputs, nulls };
}

/** One output of an answer, as it is described. */
interface Output {
  readonly description: Readonly<Record<string, unknown>>;
  /** Its elements as binary data; `null` if they are in the description. */
  readonly binary: Uint8Array | null;
}

function partsOf({ headers, body }: Answer, errors: RemoteErrors): { json: unknown; binary: Uint8Array } {
  const header = headers.get(JSON_SIZE_HEADER);
  if (header === null) {
    if (headers.get("content-type")?.startsWith("application/octet-stream") === true) {
      const fix = `let the server expose the header (Access-Control-Expose-Headers: ${JSON_SIZE_HEADER}), or set binary: false`;
      throw errors.invalid("binary tensors without the size of their description", fix);
    }
    return { json: readJson(body, errors), binary: body.subarray(body.byteLength) };
  }
  const size = Number(header);
  if (!Number.isInteger(size) || size < 0 || size > body.byteLength) {
    throw errors.invalid(`${body.byteLength} bytes for a description of ${quoted(header)}`, BROKEN);
  }
  return { json: readJson(body.subarray(0, size), errors), binary: body.subarray(size) };
}

/** Assigns the binary data to the outputs, which follow each other in the order of their descriptions. */
function outputsOf(json: unknown, binary: Uint8Array, errors: RemoteErrors): ReadonlyMap<unknown, Output> {
  const list = isOptionsObject(json) ? json["outputs"] : undefined;
  if (!Array.isArray(list)) throw errors.invalid("no list of outputs", BROKEN);
  const found = new Map<unknown, Output>();
  let offset = 0;
  for (const description of list) {
    if (!isOptionsObject(description)) throw errors.invalid("an output without a description", BROKEN);
    const { name, parameters } = description;
    if (found.has(name)) throw errors.invalid(`two outputs of the name ${quoted(String(name))}`, BROKEN);
    const size: unknown = isOptionsObject(parameters) ? parameters["binary_data_size"] : undefined;
    if (size !== undefined && !isSizeWithin(size, binary.byteLength - offset)) {
      throw errors.invalid(`${binary.byteLength - offset} bytes for an output of ${describeValue(size)}`, BROKEN);
    }
    const end = offset + (size ?? 0);
    found.set(name, { description, binary: size === undefined ? null : binary.subarray(offset, end) });
    offset = end;
  }
  if (offset !== binary.byteLength) {
    throw errors.invalid(`${binary.byteLength} bytes of binary data for outputs of ${offset}`, BROKEN);
  }
  return found;
}

function isSizeWithin(size: unknown, most: number): size is number {
  return typeof size === "number" && Number.isInteger(size) && size >= 0 && size <= most;
}

function tensorOf(
  { description, binary }: Output,
  info: TensorInfo,
  errors: RemoteErrors,
  nullAs: number | null,
): Tensor {
  const { datatype, shape, data } = description;
  const output = `output ${quoted(info.name)}`;
  if (datatype !== DATATYPES[info.type]) {
    throw errors.invalid(`${output} of type ${describeValue(datatype)}, not ${DATATYPES[info.type]}`, BROKEN);
  }
  const dims = isShape(shape, 0) ? dimsOf(info, shape) : null;
  if (dims === null) {
    const got = isShape(shape, 0) ? quoted(JSON.stringify(shape)) : describeValue(shape);
    const fix = "let the model's metadata on the server declare the dims that it sends";
    throw errors.invalid(`${output} with dims ${got}, not ${describeDims(info.dims, info.symbols)}`, fix);
  }
  const length = volumeOf(dims);
  const elements =
    binary === null ? fromJson(info, flatOf(data), length, nullAs ?? NaN) : fromBinary(info, binary, length);
  if (elements === null) throw errors.invalid(`${output} without ${length} elements of ${datatype}`, BROKEN);
  return { type: info.type, dims, data: elements };
}

/**
 * Returns the dims of an output that was sent with a shape; `null` if it is none of the output. Sizes of 1 at the end
 * may be missing or added: MLServer sends a list of numbers as a column.
 */
function dimsOf({ dims }: TensorInfo, shape: readonly number[]): readonly number[] | null {
  if (!Number.isSafeInteger(volumeOf(shape))) return null;
  // The metadata of a scalar and of an unknown rank are both `[]`.
  if (dims.length === 0) return shape;
  const sizes = withRank(shape, dims.length);
  return sizes?.every((size, axis) => dims[axis] === null || dims[axis] === size) === true ? sizes : null;
}

function fromBinary({ type }: TensorInfo, bytes: Uint8Array, length: number): TensorData | null {
  if (type === "string") return decodeStrings(bytes, length);
  if (bytes.byteLength % length !== 0 && length > 0) return null;
  const element = elementOf(type);
  const one = element.create(1);
  if (!("byteLength" in one) || bytes.byteLength !== length * one.byteLength) return null;
  // `copy` would reject a boolean other than 0 and 1, too.
  return element.view(element.over(bytes.slice().buffer), length);
}

/** The elements are a list in row-major order, flat or nested. */
function flatOf(data: unknown): readonly unknown[] {
  return Array.isArray(data) ? data.flat(MAX_RANK) : [];
}

function fromJson({ type }: TensorInfo, flat: readonly unknown[], length: number, nullAs: number): TensorData | null {
  if (flat.length !== length) return null;
  const element = elementOf(type);
  const elements = element.create(length);
  const target = writable(elements);
  const isFloating = type.startsWith("float");
  for (let index = 0; index < length; index++) {
    const value = element.parse(flat[index] === null && isFloating ? nullAs : flat[index]);
    if (value === undefined) return null;
    target[index] = value;
  }
  return elements;
}

/** Returns where an output has `null`; `null` if nowhere. */
function marksOf({ description, binary }: Output, { dims }: Tensor): Tensor | null {
  const flat = binary === null ? flatOf(description["data"]) : [];
  if (!flat.includes(null)) return null;
  return { type: "uint8", dims, data: Uint8Array.from(flat, (value) => (value === null ? 1 : 0)) };
}
