import type { ServerResponse } from "node:http";

interface Fault {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  "/faults/missing.onnx": { status: 404, type: "text/plain", body: "not found\n" },
  "/faults/unavailable.onnx": { status: 503, type: "text/plain", body: "come back later\n" },
  // What a single-page application's server sends for a path that it does not know.
  "/faults/page.onnx": {
    status: 200,
    type: "text/html; charset=utf-8",
    body: "<!doctype html><html><title>Welcome</title><p>Welcome</p></html>",
  },
  "/faults/noise.onnx": {
    status: 200,
    type: "application/octet-stream",
    body: Uint8Array.from({ length: 4096 }, (_, index) => (index * 73 + 41) % 251),
  },
  "/faults/empty.onnx": { status: 200, type: "application/octet-stream", body: "" },
};

/** Answers the paths of models that are broken in one way each. Says whether it has answered. */
export function faultFor(pathname: string, response: ServerResponse): boolean {
  const fault = FAULTS[pathname];
  if (fault === undefined) return false;
  response.statusCode = fault.status;
  response.setHeader("Content-Type", fault.type);
  response.end(fault.body);
  return true;
}
