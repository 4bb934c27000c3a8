import { existsSync, readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { run } from "../workspace.mjs";

/**
 * @typedef {object} Network
 * @property {number} mbPerS What all responses share, in MB a second.
 * @property {number} delayMs From a request to the first byte of its response, in milliseconds.
 */

const TYPES = new Map([
  [".html", "text/html"],
  [".js", "text/javascript"],
  [".wasm", "application/wasm"],
]);

/** Bytes that are sent at once. */
const PIECE_BYTES = 2 ** 14;

/**
 * Serves a folder over HTTP/2 as a host on that network would: compressed, and cacheable. The certificate is made for this
 * server, in `folder`'s parent, so browsers have to ignore its errors.
 * @param {string} folder
 * @param {Network} network
 * @returns {Promise<{ url: string, sentBytes: () => number, close: () => void }>}
 */
export async function serveSlowly(folder, { mbPerS, delayMs }) {
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(folder, "..", name));
  if (!existsSync(cert)) {
    const subject = ["-subj", "/CN=localhost", "-days", "2"];
    await run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject], {
      quiet: true,
    });
  }
  let [freeAtMs, sent] = [0, 0];
  /** @param {string} name @param {import("node:http2").Http2ServerResponse} response */
  const answer = async (name, response) => {
    await delay(delayMs);
    const body = bodyOf(name);
    if (body === null) return void response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": TYPES.get(path.extname(name)) ?? "application/octet-stream",
      "content-encoding": "gzip",
      "content-length": body.length,
      "cache-control": "max-age=3600",
    });
    for (let at = 0; at < body.length; at += PIECE_BYTES) {
      const piece = body.subarray(at, at + PIECE_BYTES);
      freeAtMs = Math.max(freeAtMs, performance.now()) + piece.length / (mbPerS * 1000);
      await delay(freeAtMs - performance.now());
      response.write(piece);
      sent += piece.length;
    }
    response.end();
  };
  const bodyOf = compressed(folder);
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, ({ url }, response) => {
    void answer(url === "/" ? "/index.html" : url, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `https://localhost:${port}/`, sentBytes: () => sent, close: () => void server.close() };
}

/** Returns a function that compresses each file once. @param {string} folder */
function compressed(folder) {
  /** @type {Map<string, Buffer>} */
  const bodies = new Map();
  return (/** @type {string} */ name) => {
    const file = path.join(folder, name);
    const known = bodies.get(file);
    if (known !== undefined || !existsSync(file)) return known ?? null;
    const body = gzipSync(readFileSync(file), { level: 6 });
    bodies.set(file, body);
    return body;
  };
}
