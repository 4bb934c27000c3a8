import type { IncomingMessage, ServerResponse } from "node:http";

/** What a page of another origin may do, by the first part of the path. Without one of these, it may do nothing. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/allowed": {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "content-type, inference-header-content-length",
    "Access-Control-Expose-Headers": "inference-header-content-length, retry-after",
  },
  "/readable": { "Access-Control-Allow-Origin": "*" },
};

const MODEL = {
  name: "digits",
  inputs: [{ name: "image", datatype: "FP32", shape: [-1, 1, 28, 28] }],
  outputs: [{ name: "logits", datatype: "FP32", shape: [-1, 10] }],
};

/**
 * Serves a model with the names of the digits model, in the Open Inference Protocol, below `/v2` and below `PATH/v2`,
 * where PATH is `/allowed`, `/readable`, `/forbidden` or `/moved`. Its logits are the first ten pixels. Returns true if it
 * handled the request.
 */
export function inference(url: URL, request: IncomingMessage, response: ServerResponse): boolean {
  const [, prefix = "", path] = /^(\/[a-z]+)?(\/v2(?:\/.*)?)$/.exec(url.pathname) ?? [];
  if (path === undefined) return false;
  response.removeHeader("Access-Control-Allow-Origin");
  for (const [name, value] of Object.entries(ALLOWED[prefix] ?? {})) response.setHeader(name, value);
  if (request.method === "OPTIONS") response.writeHead(204).end();
  else if (prefix === "/moved") response.writeHead(307, { Location: `/allowed${path}` }).end();
  else void answer(path, request, response);
  return true;
}

async function answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (path === "/v2") return say(response, Buffer.from('{"name":"test","extensions":["binary_tensor_data"]}'));
  if (path === "/v2/models/digits") return say(response, Buffer.from(JSON.stringify(MODEL)));
  if (!path.endsWith("/infer")) return say(response, Buffer.from("{}"));
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const pixels = body.subarray(Number(request.headers["inference-header-content-length"]));
  const rows = pixels.length / (784 * 4);
  const logits = Array.from({ length: rows }, (_, row) => pixels.subarray(row * 784 * 4, (row * 784 + 10) * 4));
  const parameters = { binary_data_size: rows * 40 };
  const output = { name: "logits", datatype: "FP32", shape: [rows, 10], parameters };
  const json = Buffer.from(JSON.stringify({ outputs: [output] }));
  response.setHeader("Inference-Header-Content-Length", json.length);
  say(response, Buffer.concat([json, ...logits]), "application/octet-stream");
}

function say(response: ServerResponse, body: Buffer, type = "application/json"): void {
  response.writeHead(200, { "Content-Type": type, "Content-Length": body.length }).end(body);
}
