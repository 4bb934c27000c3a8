import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { describeDims, describeValue } from "@framebatch/batcher/errors/description.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { Tensor, TensorData, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { decodeStrings } from "./binary-strings.js";
import { DATATYPES } from "./datatypes.js";
import { JSON_SIZE_HEADER } from "./encode.js";
import { isShape } from "./metadata.js";
import { quoted, type RemoteErrors } from "./remote-errors.js";

/** The whole body of a response with a status of success. */
export interface Answer {
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
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
 * @throws REMOTE_INVALID when one is missing, or does not have the type, the dims and the elements that it should
 */
export function decodeAnswer(
  answer: Answer,
  expected: readonly TensorInfo[],
  errors: RemoteErrors,
): Record<string, Tensor> {
  const { json, binary } = partsOf(answer, errors);
  const found = outputsOf(json, binary, errors);
  const tensors: Record<string, Tensor> = {};
  for (const info of expected) {
    const output = found.get(info.name);
    if (output === undefined) throw errors.invalid(`no output ${quoted(info.name)}`, BROKEN);
    tensors[info.name] = tensorOf(output, info, errors);
  }
  return tensors;
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

function tensorOf({ description, binary }: Output, info: TensorInfo, errors: RemoteErrors): Tensor {
  const { datatype, shape, data } = description;
  const output = `output ${quoted(info.name)}`;
  if (datatype !== DATATYPES[info.type]) {
    throw errors.invalid(`${output} of type ${describeValue(datatype)}, not ${DATATYPES[info.type]}`, BROKEN);
  }
  if (!isShapeOf(info, shape)) {
    const got = isShape(shape, 0) ? quoted(JSON.stringify(shape)) : describeValue(shape);
    throw errors.invalid(`${output} with dims ${got}, not ${describeDims(info.dims, info.symbols)}`, BROKEN);
  }
  const length = volumeOf(shape);
  const elements = binary === null ? fromJson(info, data, shape) : fromBinary(info, binary, length);
  if (elements === null) throw errors.invalid(`${output} without ${length} elements of ${datatype}`, BROKEN);
  return { type: info.type, dims: shape, data: elements };
}

/** The metadata of a scalar and of an unknown rank are both `[]`. */
function isShapeOf({ dims }: TensorInfo, shape: unknown): shape is number[] {
  if (!isShape(shape, 0) || !Number.isSafeInteger(volumeOf(shape))) return false;
  return (
    dims.length === 0 ||
    (shape.length === dims.length && dims.every((size, axis) => size === null || size === shape[axis]))
  );
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

/** The elements are a list in row-major order, flat or nested. A number that is not finite is `null` in JSON. */
function fromJson({ type }: TensorInfo, data: unknown, shape: readonly number[]): TensorData | null {
  const length = volumeOf(shape);
  const flat: unknown[] = Array.isArray(data) ? data.flat(shape.length) : [];
  if (flat.length !== length) return null;
  const element = elementOf(type);
  const elements = element.create(length);
  const target = writable(elements);
  const isFloating = type.startsWith("float");
  for (let index = 0; index < length; index++) {
    const value = element.parse(flat[index] === null && isFloating ? NaN : flat[index]);
    if (value === undefined) return null;
    target[index] = value;
  }
  return elements;
}
