import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const SIZE_HEADER = "inference-header-content-length";
const WIDTH = 128;
const MODEL = {
  name: "text-encoder",
  inputs: ["ids", "mask"].map((name) => ({ name, datatype: "INT64", shape: [-1, -1] })),
  outputs: [{ name: "embedding", datatype: "FP32", shape: [-1, WIDTH] }],
};

/** How long a server takes. */
export interface ServerTimes {
  /** Time on the network, there and back, in milliseconds. */
  readonly networkMs: number;
  /** Time of each row of a batch, in milliseconds. Batches run side by side. */
  readonly rowMs: number;
}

/** A server that takes its time without computing. */
export interface SleepingServer {
  readonly url: string;
  times: ServerTimes;
  close(): void;
}

/**
 * Serves a model with the names of `text-encoder` that answers zeros. It sleeps as long as its computation would take, and
 * so leaves the processor to the browser, as a server on a machine of its own does.
 */
export async function startSleepingServer(): Promise<SleepingServer> {
  const server = createServer((request, response) => void answer(request, response, () => sleeping.times));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  const sleeping: SleepingServer = {
    url: `http://127.0.0.1:${address.port}`,
    times: { networkMs: 0, rowMs: 0 },
    close: () => server.close().closeAllConnections(),
  };
  return sleeping;
}

async function answer(request: IncomingMessage, response: ServerResponse, times: () => ServerTimes): Promise<void> {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Allow-Headers", `content-type, ${SIZE_HEADER}`);
  response.setHeader("Access-Control-Expose-Headers", SIZE_HEADER);
  response.setHeader("Access-Control-Max-Age", "7200");
  if (request.method === "OPTIONS") return void response.writeHead(204).end();
  const { url = "" } = request;
  if (url === "/v2") return void response.end('{"name":"test","extensions":["binary_tensor_data"]}');
  if (!url.endsWith("/infer")) return void response.end(JSON.stringify(MODEL));
  const rows = rowsOf(await bodyOf(request), Number(request.headers[SIZE_HEADER]));
  const { networkMs, rowMs } = times();
  await sleep(networkMs + rows * rowMs);
  const parameters = { binary_data_size: rows * WIDTH * 4 };
  const output = { name: "embedding", datatype: "FP32", shape: [rows, WIDTH], parameters };
  const json = Buffer.from(JSON.stringify({ outputs: [output] }));
  response.writeHead(200, { "content-type": "application/octet-stream", [SIZE_HEADER]: json.length });
  response.end(Buffer.concat([json, Buffer.alloc(rows * WIDTH * 4)]));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function rowsOf(body: Buffer, size: number): number {
  const { inputs }: { inputs: { shape: number[] }[] } = JSON.parse(body.toString("utf8", 0, size));
  return inputs[0]?.shape[0] ?? 0;
}
