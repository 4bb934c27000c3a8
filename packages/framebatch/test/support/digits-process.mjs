// A server of the digits model in a process of its own, which a test can kill. It takes and sends binary tensors.
// Usage: fork digits-process.mjs PORT MODEL. PORT is 0 for any. The first message is the port.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";

const SIZE_HEADER = "inference-header-content-length";
const [, , port, model] = process.argv;
env.wasm.numThreads = 1;
const session = await InferenceSession.create(new Uint8Array(readFileSync(model ?? "")));

/** What the server says at each address but that of an inference. @type {Readonly<Record<string, unknown>>} */
const DESCRIPTIONS = {
  "/v2": { name: "digits", extensions: ["binary_tensor_data"] },
  "/v2/models/digits/ready": {},
  "/v2/models/digits": {
    inputs: [{ name: "image", datatype: "FP32", shape: [-1, 1, 28, 28] }],
    outputs: [{ name: "logits", datatype: "FP32", shape: [-1, 10] }],
  },
};

/** @param {import("node:http").IncomingMessage} request */
async function infer(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const pixels = Buffer.concat(chunks).subarray(Number(request.headers[SIZE_HEADER]));
  const elements = new Float32Array(Uint8Array.from(pixels).buffer);
  const rows = elements.length / 784;
  const { logits } = await session.run({ image: new Tensor("float32", elements, [rows, 1, 28, 28]) });
  const parameters = { binary_data_size: rows * 40 };
  const outputs = [{ name: "logits", datatype: "FP32", shape: [rows, 10], parameters }];
  const json = Buffer.from(JSON.stringify({ outputs }));
  const data = Float32Array.from(logits?.data ?? [], Number);
  return { size: json.length, body: Buffer.concat([json, Buffer.from(data.buffer)]) };
}

const server = createServer((request, response) => {
  // For a page of another origin.
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Allow-Headers", `content-type, ${SIZE_HEADER}`);
  response.setHeader("Access-Control-Expose-Headers", SIZE_HEADER);
  if (request.method === "OPTIONS") return void response.writeHead(204).end();
  const description = DESCRIPTIONS[request.url ?? ""];
  if (description !== undefined) return void response.end(JSON.stringify(description));
  void infer(request).then(({ size, body }) =>
    response.writeHead(200, { "content-type": "application/octet-stream", [SIZE_HEADER]: size }).end(body),
  );
});
server.listen(Number(port), "127.0.0.1", () => {
  const address = server.address();
  process.send?.(typeof address === "object" ? address?.port : null);
});
