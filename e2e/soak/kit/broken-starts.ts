import type { IncomingMessage, ServerResponse } from "node:http";

/** One way in which a model cannot start. Addresses are paths below `/broken/`, which `answerBroken` serves. */
export interface BrokenStart {
  /** As in the report: what breaks, and how. */
  readonly id: string;
  /** @default a model that is well */
  readonly model?: string;
  readonly workerUrl?: string;
  readonly wasmPaths?: string;
  readonly integrity?: string;
  readonly maxModelBytes?: number;
}

type Answer = (response: ServerResponse) => void;

const ENDLESS_CHUNK = new Uint8Array(64 * 1024);
const HTML = "<!doctype html><title>Welcome</title><p>Welcome</p>";

const ANSWERS: Readonly<Record<string, Answer>> = {
  missing: (response) => send(response, 404, "text/plain", "not found\n"),
  unavailable: (response) => send(response, 503, "text/plain", "come back later\n"),
  page: (response) => send(response, 200, "text/html", HTML),
  empty: (response) => send(response, 200, "application/octet-stream", ""),
  noise: (response) => send(response, 200, "application/octet-stream", "noise ".repeat(1000)),
  plain: (response) => send(response, 200, "text/plain", "export {};"),
  syntax: (response) => send(response, 200, "text/javascript", "let x = = 3;"),
  throws: (response) => send(response, 200, "text/javascript", `throw new Error("broken on purpose");`),
  mute: (response) => send(response, 200, "text/javascript", "onmessage = () => undefined;"),
  silent: () => undefined,
  reset: (response) => response.destroy(),
  loop: (response) => send(response.setHeader("Location", "/broken/loop"), 302, "text/plain", ""),
  stalled: (response) => {
    response.setHeader("Content-Length", 100_000);
    response.write(ENDLESS_CHUNK.subarray(0, 1000));
  },
  short: (response) => {
    response.setHeader("Content-Length", 100_000);
    response.write(ENDLESS_CHUNK.subarray(0, 1000), () => response.destroy());
  },
  endless: (response) => {
    const timer = setInterval(() => response.write(ENDLESS_CHUNK), 5);
    response.once("close", () => clearInterval(timer));
  },
};

/** Answers `/broken/NAME` and, for folders, `/broken/NAME/ANY`. Says whether it has. */
export function answerBroken(request: IncomingMessage, response: ServerResponse): boolean {
  const [, place, name] = new URL(request.url ?? "/", "http://localhost").pathname.split("/");
  const answer = place === "broken" ? ANSWERS[name ?? ""] : undefined;
  answer?.(response);
  return answer !== undefined;
}

/** W1 to W3, N1 to N11 of the list of faults; `elsewhere` is an origin that lets nobody read. */
export function brokenStarts(elsewhere: string): readonly BrokenStart[] {
  return [
    { id: "W1 worker script missing", workerUrl: "/broken/missing" },
    { id: "W1 worker script of the wrong type", workerUrl: "/broken/plain" },
    { id: "W1 page in place of the worker script", workerUrl: "/broken/page" },
    { id: "W1 worker script that cannot be parsed", workerUrl: "/broken/syntax" },
    { id: "W2 worker script that throws", workerUrl: "/broken/throws" },
    { id: "N1 model missing", model: "/broken/missing" },
    { id: "N2 server unavailable", model: "/broken/unavailable" },
    { id: "N2 connection reset", model: "/broken/reset" },
    { id: "N2 connection refused", model: "http://localhost:9/model.onnx" },
    { id: "N3 page in place of the model", model: "/broken/page" },
    { id: "N4 model that ends early", model: "/broken/short" },
    { id: "N4 empty model", model: "/broken/empty" },
    { id: "N4 noise in place of the model", model: "/broken/noise" },
    { id: "N5 server that never answers", model: "/broken/silent" },
    { id: "N5 model that stops half way", model: "/broken/stalled" },
    { id: "N6 redirects in a circle", model: "/broken/loop" },
    { id: "N7 origin that lets nobody read", model: `${elsewhere}/models/mlp-tiny.onnx` },
    { id: "N8 digest that does not match", integrity: `sha256-${"A".repeat(43)}=` },
    { id: "N10 model without end", model: "/broken/endless", maxModelBytes: 2 ** 20 },
    { id: "N11 runtime missing", wasmPaths: "/broken/missing/" },
    { id: "N11 page in place of the runtime", wasmPaths: "/broken/page/" },
  ];
}

/** Those of which nothing is heard: no download of the model stalls, so only the bound of a start ends them. */
export const SILENT_STARTS: readonly BrokenStart[] = [
  { id: "W3 worker script that never comes", workerUrl: "/broken/silent" },
  { id: "W3 worker that never says ready", workerUrl: "/broken/mute" },
  { id: "N11 runtime that never comes", wasmPaths: "/broken/silent/" },
  { id: "N11 runtime that stops half way", wasmPaths: "/broken/stalled/" },
];

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.statusCode = status;
  response.setHeader("Content-Type", type);
  response.end(body);
}
