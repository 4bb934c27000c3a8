import type { ServerResponse } from "node:http";

/** The weights of the model `y` = `x` [batch, 4] * weights, which are in a separate file, `weights.data`. */
export const EXTERNAL_WEIGHTS = [2, 3, 5, 7] as const;

/** Serves `/external/model.onnx` and `/external/weights.data`. Returns true if it handled the request. */
export function externalData(url: URL, response: ServerResponse): boolean {
  const body = { "/external/model.onnx": model, "/external/weights.data": weights }[url.pathname];
  if (body === undefined) return false;
  const bytes = body();
  response.writeHead(200, {
    "Content-Type": "application/octet-stream",
    "Content-Length": bytes.length,
    ETag: `"${bytes.length}"`,
  });
  response.end(bytes);
  return true;
}

function weights(): Buffer {
  return Buffer.from(Float32Array.from(EXTERNAL_WEIGHTS).buffer);
}

/** Encodes a minimal ONNX model. The field numbers are those of onnx.proto. */
function model(): Buffer {
  const location = [entry("location", "weights.data"), entry("offset", "0"), entry("length", "16")];
  const external = [field(1, 4), field(2, 1), field(8, "w"), ...location, field(14, 1)];
  const graph = [
    field(1, [field(1, "x"), field(1, "w"), field(2, "y"), field(4, "Mul")]),
    field(2, "external"),
    field(5, external),
    field(11, tensor("x")),
    field(12, tensor("y")),
  ];
  return Buffer.concat([field(1, 8), field(7, graph), field(8, [field(1, ""), field(2, 17)])]);
}

function entry(key: string, value: string): Buffer {
  return field(13, [field(1, key), field(2, value)]);
}

/** Encodes the description of a float32 tensor [batch, 4]. */
function tensor(name: string): Buffer[] {
  const shape = [field(1, [field(2, "batch")]), field(1, [field(1, 4)])];
  return [field(1, name), field(2, [field(1, [field(1, 1), field(2, shape)])])];
}

/**
 * Encodes a field of a protocol buffer: a number, a string or a message. Numbers and lengths must be less than 2^14.
 */
function field(id: number, value: number | string | readonly Buffer[]): Buffer {
  if (typeof value === "number") return Buffer.concat([varint(id << 3), varint(value)]);
  const body = typeof value === "string" ? Buffer.from(value) : Buffer.concat(value);
  return Buffer.concat([varint((id << 3) | 2), varint(body.length), body]);
}

function varint(value: number): Buffer {
  return value < 128 ? Buffer.of(value) : Buffer.of((value & 127) | 128, value >> 7);
}
