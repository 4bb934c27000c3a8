// Records the exchanges between remote models and a real server, for the unit tests.
import { writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../workspace.mjs";

const FOLDER = path.join(root, "packages/framebatch/test/exchanges");
/** The headers that matter to a client. */
const KEPT = ["content-type", "inference-header-content-length"];

/** Two simple drawings, whose JSON is short: a vertical and a horizontal line. */
export const ITEMS = [
  Float32Array.from({ length: 784 }, (_, index) => (index % 28 === 14 && index > 112 && index < 672 ? 1 : 0)),
  Float32Array.from({ length: 784 }, (_, index) => (index > 392 + 4 && index < 420 - 4 ? 1 : 0)),
];

/**
 * Predicts `ITEMS` in one batch, as JSON and as binary data, and asks for a model that is not there. Writes what was sent
 * and answered to a file, and returns its path.
 *
 * @param {string} url
 * @param {string} name
 * @param {string} version
 * @param {boolean} takesBinary
 */
export async function recordExchanges(url, name, version, takesBinary) {
  const { createRemoteModel } = await import(pathToFileURL(path.join(root, "packages/framebatch/dist/index.js")).href);
  /** @type {object[]} */
  const exchanges = [];
  const proxy = await openProxy(url, (exchange) => exchanges.push(exchange));
  for (const binary of takesBinary ? [false, true] : [undefined]) {
    const options = { model: "digits", maxBatchSize: 2, ...(binary !== undefined && { binary }) };
    const model = await createRemoteModel(proxy.url, options);
    await model.predictMany(ITEMS);
    await model.dispose();
  }
  await createRemoteModel(proxy.url, { model: "other" }).catch(() => undefined);
  proxy.close();
  const file = path.join(FOLDER, `${name}.json`);
  writeFileSync(file, `${JSON.stringify({ server: version, exchanges }, null, 2)}\n`);
  return path.relative(root, file);
}

/**
 * @param {string} url
 * @param {(exchange: object) => void} onExchange
 */
async function openProxy(url, onExchange) {
  const proxy = createServer((request, response) => void pass(request, response, url, onExchange));
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("expected a proxy that listens");
  return { url: `http://127.0.0.1:${address.port}`, close: () => void proxy.close() };
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {string} url
 * @param {(exchange: object) => void} onExchange
 */
async function pass(request, response, url, onExchange) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const sent = Buffer.concat(chunks);
  const { method = "GET", url: address = "" } = request;
  const body = method === "POST" ? { body: sent } : {};
  const headers = kept((header) => request.headers[header]);
  const answer = await fetch(url + address, { method, headers, ...body });
  const got = Buffer.from(await answer.arrayBuffer());
  const answered = kept((header) => answer.headers.get(header) ?? undefined);
  onExchange({
    request: { method, path: address, headers, ...textOf(sent, headers) },
    response: { status: answer.status, headers: answered, ...textOf(got, answered) },
  });
  response.writeHead(answer.status, answered).end(got);
}

/** @param {(name: string) => string | string[] | undefined} valueOf @returns {Record<string, string>} */
function kept(valueOf) {
  return Object.fromEntries(
    KEPT.flatMap((name) => (valueOf(name) === undefined ? [] : [[name, String(valueOf(name))]])),
  );
}

/** @param {Buffer} body @param {Record<string, string>} headers */
function textOf(body, headers) {
  if (body.length === 0) return {};
  // KServe sends binary data without a content type.
  const isText = headers["content-type"]?.includes("json") && headers["inference-header-content-length"] === undefined;
  return isText ? { text: body.toString("utf8") } : { base64: body.toString("base64") };
}
