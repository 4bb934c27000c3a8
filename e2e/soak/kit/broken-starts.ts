import type { IncomingMessage, ServerResponse } from "node:http";

/** A fault that prevents a model from starting. Addresses are paths below `/broken/`, which `answerBroken` serves. */
export interface BrokenStart {
  /** The name in the report: the code of the fault, and what fails. */
  readonly id: string;
  /** @default a valid model */
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

/** Serves `/broken/NAME` and, for folders, `/broken/NAME/ANY`. Returns true if it handled the request. */
export function answerBroken(request: IncomingMessage, response: ServerResponse): boolean {
  const [, place, name] = new URL(request.url ?? "/", "http://localhost").pathname.split("/");
  const answer = place === "broken" ? ANSWERS[name ?? ""] : undefined;
  answer?.(response);
  return answer !== undefined;
}

/**
 * The faults W1, W2 and N1 to N11 of the list of faults.
 *
 * @param elsewhere an origin that allows no other origin to read
 */
export function brokenStarts(elsewhere: string): readonly BrokenStart[] {
  return [
    { id: "W1 worker script missing", workerUrl: "/broken/missing" },
    { id: "W1 worker script of the wrong type", workerUrl: "/broken/plain" },
    { id: "W1 web page in place of the worker script", workerUrl: "/broken/page" },
    { id: "W1 worker script that cannot be parsed", workerUrl: "/broken/syntax" },
    { id: "W2 worker script that throws", workerUrl: "/broken/throws" },
    { id: "N1 model missing", model: "/broken/missing" },
    { id: "N2 server unavailable", model: "/broken/unavailable" },
    { id: "N2 connection reset", model: "/broken/reset" },
    { id: "N2 connection refused", model: "http://localhost:9/model.onnx" },
    { id: "N3 web page in place of the model", model: "/broken/page" },
    { id: "N4 model that ends early", model: "/broken/short" },
    { id: "N4 empty model", model: "/broken/empty" },
    { id: "N4 noise in place of the model", model: "/broken/noise" },
    { id: "N5 server that never responds", model: "/broken/silent" },
    { id: "N5 download that stalls", model: "/broken/stalled" },
    { id: "N6 redirect loop", model: "/broken/loop" },
    { id: "N7 model on another origin without CORS", model: `${elsewhere}/models/mlp-tiny.onnx` },
    { id: "N8 digest that does not match", integrity: `sha256-${"A".repeat(43)}=` },
    { id: "N10 endless model", model: "/broken/endless", maxModelBytes: 2 ** 20 },
    { id: "N11 runtime missing", wasmPaths: "/broken/missing/" },
    { id: "N11 web page in place of the runtime", wasmPaths: "/broken/page/" },
  ];
}

/** Faults without any event. The download of the model does not stall, so only the time limit of a start ends these. */
export const SILENT_STARTS: readonly BrokenStart[] = [
  { id: "W3 worker script that never arrives", workerUrl: "/broken/silent" },
  { id: "W3 worker that never reports ready", workerUrl: "/broken/mute" },
  { id: "N11 runtime that never arrives", wasmPaths: "/broken/silent/" },
  { id: "N11 runtime whose download stalls", wasmPaths: "/broken/stalled/" },
];

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.statusCode = status;
  response.setHeader("Content-Type", type);
  response.end(body);
}
