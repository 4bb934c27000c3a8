import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { areHalfFloatBits, halfFloatValue } from "@framebatch/rows/tensor/half-float.js";
import { joinedBytes } from "@framebatch/rows/tensor/joined-bytes.js";
import type { Tensor, TensorData, TensorInfo, TensorType } from "@framebatch/rows/tensor/tensor.js";
import { encodeStrings, DATATYPES } from "./datatypes.js";

/** The body of a request for an inference, and the headers that describe it. */
export interface InferRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** How a request is written, and which answer it asks for. */
export type RequestForm = "json" | "binary" | "json-for-binary";

/** The header with the size of the JSON part of a body with binary tensors, in bytes. */
export const JSON_SIZE_HEADER = "inference-header-content-length";

/**
 * Encodes one batch.
 * @param id names the request. The protocol does not require one, but some models of KServe fail without.
 * @param outputs the outputs to ask for
 * @param form `binary` sends tensors as binary data and asks for binary outputs, which the server must support;
 *   `json-for-binary` only asks for them
 * @throws INVALID_INPUT when JSON has no notation for an element
 */
export function encodeRequest(
  id: string,
  feeds: Readonly<Record<string, Tensor>>,
  outputs: readonly TensorInfo[],
  form: RequestForm,
): InferRequest {
  const parts = Object.entries(feeds).map(([name, tensor]) => ({ name, ...tensor }));
  return form === "binary" ? binaryRequest(id, parts, outputs) : jsonRequest(id, parts, outputs, form);
}

type NamedTensor = Tensor & { readonly name: string };

function jsonRequest(
  id: string,
  tensors: readonly NamedTensor[],
  outputs: readonly TensorInfo[],
  form: RequestForm,
): InferRequest {
  // `JSON.stringify` has no notation for bigints, and would copy each array first.
  const inputs = tensors.map((tensor) => {
    const head = JSON.stringify({ name: tensor.name, shape: tensor.dims, datatype: DATATYPES[tensor.type] });
    return `${head.slice(0, -1)},"data":${jsonData(tensor)}}`;
  });
  const isForBinary = form === "json-for-binary";
  const asked = JSON.stringify(outputs.map(({ name }) => (isForBinary ? binaryOutput(name) : { name })));
  // Some models of KServe look at this parameter only.
  const parameters = isForBinary ? ',"parameters":{"binary_data_output":true}' : "";
  return {
    headers: { "content-type": "application/json" },
    body: `{"id":${JSON.stringify(id)},"inputs":[${inputs.join(",")}],"outputs":${asked}${parameters}}`,
  };
}

function jsonData({ name, type, data }: NamedTensor): string {
  if (type === "string") return JSON.stringify(data);
  const elements: ArrayLike<unknown> = data;
  if (type === "bool") return JSON.stringify(Array.from(elements, (element) => element === 1));
  const numbers = type === "float16" && areHalfFloatBits(data) ? Array.from(data, halfFloatValue) : data;
  checkNotation(name, type, numbers);
  return `[${numbers.join(",")}]`;
}

/**
 * A number that a server may read as another one must not be sent: JSON has no NaN, and servers read its integers as
 * doubles.
 */
function checkNotation(name: string, type: TensorType, elements: ArrayLike<unknown>): void {
  const isFloating = type.startsWith("float");
  if (!isFloating && !type.endsWith("int64")) return;
  const isExact = isFloating ? Number.isFinite : (element: unknown) => Number.isSafeInteger(Number(element));
  for (let index = 0; index < elements.length; index++) {
    if (isExact(elements[index])) continue;
    const expected = isFloating ? "finite numbers, since JSON has no other" : "integers that are exact in JSON";
    throw new FramebatchError(
      "INVALID_INPUT",
      `input "${name}": expected ${expected}, got ${String(elements[index])}; set binary: true if the server takes binary tensors, as KServe does`,
      { details: { input: name } },
    );
  }
}

function binaryRequest(id: string, tensors: readonly NamedTensor[], outputs: readonly TensorInfo[]): InferRequest {
  const contents = tensors.map(({ data }) => bytesOf(data));
  const inputs = tensors.map(({ name, type, dims }, index) => ({
    name,
    shape: dims,
    datatype: DATATYPES[type],
    parameters: { binary_data_size: contents[index]?.byteLength },
  }));
  const asked = outputs.map(({ name }) => binaryOutput(name));
  const json = new TextEncoder().encode(JSON.stringify({ id, inputs, outputs: asked }));
  return {
    headers: { "content-type": "application/octet-stream", [JSON_SIZE_HEADER]: String(json.byteLength) },
    body: joinedBytes([json, ...contents]),
  };
}

function binaryOutput(name: string) {
  return { name, parameters: { binary_data: true } };
}

/** Returns the elements in little-endian order, which is that of every platform with a browser. */
function bytesOf(data: TensorData): Uint8Array {
  return "buffer" in data ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : encodeStrings(data);
}
