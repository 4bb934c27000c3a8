import { createReadStream } from "node:fs";
import { createServer, request as ask } from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { root } from "../workspace.mjs";

const MODEL = path.join(root, "models/digits/digits.onnx");
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/**
 * @typedef {object} Front
 * @property {string} url Without a trailing slash.
 * @property {() => number} loadedBytes The bytes that it has answered so far, without headers and without the model.
 * @property {() => void} close
 */

/**
 * Opens a server in front of an application's own. It adds the model, counts bytes, and isolates the pages on request,
 * so that no application has to.
 *
 * @param {number} port of the application's server on localhost
 * @param {boolean} isIsolated whether pages are cross-origin isolated
 * @returns {Promise<Front>}
 */
export async function openFront(port, isIsolated) {
  let loadedBytes = 0;
  const server = createServer((request, response) => {
    if (isIsolated) for (const [name, value] of Object.entries(ISOLATION)) response.setHeader(name, value);
    if (request.url === "/models/digits.onnx") createReadStream(MODEL).pipe(response);
    else if (request.url === "/favicon.ico") response.writeHead(204).end();
    else pass(port, request, response, (bytes) => (loadedBytes += bytes));
  });
  server.on("upgrade", (request, socket) => passSocket(port, request, socket));
  await new Promise((resolve) => server.listen(0, "localhost", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  return {
    url: `http://localhost:${address.port}`,
    loadedBytes: () => loadedBytes,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * @param {number} port
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {(bytes: number) => void} count
 */
function pass(port, request, response, count) {
  const { "accept-encoding": _compression, ...headers } = request.headers;
  const options = { host: "localhost", port, path: request.url, method: request.method };
  const passed = ask({ ...options, headers: { ...headers, host: `localhost:${port}` } }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on("data", (/** @type {Buffer} */ chunk) => count(chunk.length));
    answer.on("error", () => response.destroy());
    answer.pipe(response);
  });
  passed.on("error", () => response.destroy());
  request.pipe(passed);
}

/**
 * Passes a WebSocket on: development servers use one to reload the page.
 *
 * @param {number} port
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:stream").Duplex} socket
 */
function passSocket(port, request, socket) {
  const target = connect({ host: "localhost", port });
  const headers = { ...request.headers, host: `localhost:${port}`, origin: `http://localhost:${port}` };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  target.write(`GET ${request.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
  target.pipe(socket).pipe(target);
  for (const end of [target, socket]) end.on("error", () => target.destroy());
}
