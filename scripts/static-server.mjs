import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { createGzip } from "node:zlib";

/** The size of each read, in bytes: the runtime has 14 MB, and smaller reads cost processor time. */
const READ_BYTES = 2 ** 20;

const TYPES = new Map([
  [".css", "text/css; charset=utf-8"],
  [".html", "text/html; charset=utf-8"],
  [".ico", "image/x-icon"],
  [".js", "text/javascript; charset=utf-8"],
  [".json", "application/json; charset=utf-8"],
  [".map", "application/json; charset=utf-8"],
  // Sources that the documentation links to are for reading.
  [".md", "text/plain; charset=utf-8"],
  [".mjs", "text/javascript; charset=utf-8"],
  [".onnx", "application/octet-stream"],
  [".png", "image/png"],
  [".svg", "image/svg+xml"],
  [".ts", "text/plain; charset=utf-8"],
  [".wasm", "application/wasm"],
  [".webmanifest", "application/manifest+json"],
]);

const COMPRESSIBLE = /\.(css|html|js|json|map|md|mjs|svg|ts|wasm|webmanifest)$/;

/**
 * @typedef {object} StaticSite
 * @property {Readonly<Record<string, string>>} folders Folders on disk by URL path. Each path ends in "/". The
 *   longest match wins.
 * @property {number} [port] Default: 0, any free port.
 * @property {Readonly<Record<string, string>>} [headers] Headers of every response.
 * @property {boolean} [compresses] Whether to send text and WebAssembly with gzip to browsers that accept it. Models stay
 *   as they are, so that their length is known. Default: false.
 * @property {string} [lasting] A URL path whose file names contain a digest, so that browsers may cache them forever.
 * @property {string} [notFound] An HTML file on disk that answers, with the status 404, for what there is not. Default: a
 *   line of text.
 * @property {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => boolean} [intercept]
 *   Called first for each request. Returns `true` if it handles the response.
 */

/**
 * Serves folders on localhost. Browsers revalidate files by ETag, except files under `lasting`.
 *
 * @param {StaticSite} site
 * @returns {Promise<{ url: string, port: number, close: () => Promise<void> }>} `url` has no trailing slash
 */
export function serve({ folders, port = 0, headers = {}, compresses = false, lasting, notFound, intercept }) {
  const mounts = Object.entries(folders).toSorted(([a], [b]) => b.length - a.length);
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const lasts = lasting !== undefined && request.url?.startsWith(lasting);
    response.setHeader("Cache-Control", lasts ? "max-age=31536000, immutable" : "no-cache");
    if (intercept?.(request, response) === true) return;
    answer({ mounts, compresses, notFound }, request, response).catch(() => response.destroy());
  });
  return listening(server, port);
}

/**
 * @param {import("node:http").Server} server
 * @param {number} wanted
 * @returns {ReturnType<typeof serve>}
 */
function listening(server, wanted) {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(wanted, "127.0.0.1", () => {
      server.off("error", reject);
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : wanted;
      resolve({ url: `http://localhost:${port}`, port, close: () => closed(server) });
    });
  });
}

/** @param {import("node:http").Server} server */
function closed(server) {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/**
 * @param {{ mounts: readonly (readonly [string, string])[], compresses: boolean, notFound: string | undefined }} site
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function answer({ mounts, compresses, notFound }, request, response) {
  const file = locate(mounts, new URL(request.url ?? "/", "http://localhost").pathname);
  const stats = file === undefined ? undefined : await stat(file).catch(() => undefined);
  if (file === undefined || stats === undefined || !stats.isFile()) return sendNotFound(response, notFound);
  const tag = `"${stats.size.toString(36)}-${stats.mtimeMs.toString(36)}"`;
  response.setHeader("ETag", tag);
  if (request.headers["if-none-match"] === tag) return send(response, 304, "");
  response.setHeader("Content-Type", TYPES.get(path.extname(file)) ?? "application/octet-stream");
  const body = createReadStream(file, { highWaterMark: READ_BYTES }).on("error", () => response.destroy());
  if (compresses && COMPRESSIBLE.test(file)) return sendCompressed(request, response, body);
  response.setHeader("Content-Length", stats.size);
  sendBody(request, response, body);
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {import("node:fs").ReadStream} body
 */
function sendCompressed(request, response, body) {
  response.setHeader("Vary", "Accept-Encoding");
  if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return sendBody(request, response, body);
  response.setHeader("Content-Encoding", "gzip");
  sendBody(request, response, body.pipe(createGzip()));
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {import("node:stream").Readable} body
 */
function sendBody(request, response, body) {
  if (request.method !== "HEAD") {
    body.pipe(response);
    return;
  }
  body.destroy();
  send(response, 200, "");
}

/**
 * Returns the file for a URL path, or `undefined` if the path points outside its folder.
 *
 * @param {readonly (readonly [string, string])[]} mounts
 * @param {string} pathname
 */
function locate(mounts, pathname) {
  const mount = mounts.find(([prefix]) => pathname.startsWith(prefix));
  if (mount === undefined) return undefined;
  const [prefix, folder] = mount;
  const wanted = decoded(pathname.slice(prefix.length));
  if (wanted === undefined) return undefined;
  const file = path.join(folder, wanted.endsWith("/") || wanted === "" ? `${wanted}index.html` : wanted);
  return file.startsWith(path.resolve(folder) + path.sep) ? file : undefined;
}

/** @param {string} text */
function decoded(text) {
  try {
    const plain = decodeURIComponent(text);
    return plain.includes("\0") ? undefined : plain;
  } catch {
    return undefined;
  }
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string | undefined} page
 */
async function sendNotFound(response, page) {
  const [type, body] = page === undefined ? ["text/plain", "not found\n"] : ["text/html", await readFile(page)];
  response.setHeader("Content-Type", `${type}; charset=utf-8`);
  send(response, 404, body);
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {string | Buffer} body
 */
function send(response, status, body) {
  response.statusCode = status;
  response.end(body);
}
