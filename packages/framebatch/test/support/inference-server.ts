import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
} from "node:http";
import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";
import { listen } from "./local-server.js";
import { readOwnFiles } from "./own-files.js";

/** A request that the server has received. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Answers a request in place of the model. */
export type Fault = (response: ServerResponse, received: Received) => void;

interface Described {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly parameters?: { readonly binary_data_size?: number; readonly binary_data?: boolean };
  readonly data?: readonly number[];
}

/**
 * A server of one model, `digits`, that speaks the Open Inference Protocol v2 over HTTP and runs the model on ONNX
 * Runtime. It shares no code with the client. Takes only tensors of float32.
 */
export class InferenceServer {
  readonly #session: InferenceSession;
  readonly #server: Server;
  #origin = "";
  /** What the server says of itself. */
  readonly description: { name: string; version: string; extensions: string[] };
  /** What the server says of its model, instead of the truth. */
  metadata: unknown;
  readonly received: Received[] = [];
  /** What the next inferences end in. Then the model answers again. */
  readonly faults: Fault[] = [];
  /** What answers every inference, in place of the model. */
  inference: Fault | null = null;
  /** What every request ends in, whatever it asks for. */
  fault: Fault | null = null;

  private constructor(session: InferenceSession, extensions: readonly string[]) {
    this.#session = session;
    this.description = { name: "test", version: "1", extensions: [...extensions] };
    this.metadata = {
      name: "digits",
      inputs: session.inputMetadata.map(describe),
      outputs: session.outputMetadata.map(describe),
    };
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(model: Uint8Array | ArrayBuffer, extensions: readonly string[] = []): Promise<InferenceServer> {
    readOwnFiles();
    env.wasm.numThreads = 1;
    const server = new InferenceServer(await InferenceSession.create(new Uint8Array(model)), extensions);
    server.#origin = await listen(server.#server);
    return server;
  }

  get url(): string {
    return this.#origin;
  }

  /** The requests for inferences. */
  get inferences(): Received[] {
    return this.received.filter(({ path }) => path.endsWith("/infer"));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#session.release();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const received = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) };
    this.received.push(received);
    const path = received.path.replace(/\/versions\/[^/]+|\?.*/g, "");
    const fault = this.fault ?? (path.endsWith("/infer") ? (this.faults.shift() ?? this.inference) : null);
    if (fault !== null) return fault(response, received);
    if (path === "/v2") return json(this.description)(response, received);
    if (path === "/v2/models/digits") return json(this.metadata)(response, received);
    if (path === "/v2/models/digits/ready") return json({ ready: true })(response, received);
    if (path === "/v2/models/digits/infer") return this.answer(response, received);
    status(404, { error: `no ${path}` })(response);
  }

  /** Answers an inference with what the model answers. */
  async answer(response: ServerResponse, { headers, body }: Received): Promise<void> {
    const size = headers["inference-header-content-length"];
    const end = size === undefined ? body.length : Number(size);
    const { inputs, outputs }: { inputs: Described[]; outputs: Described[] } = JSON.parse(
      body.toString("utf8", 0, end),
    );
    let offset = end;
    const feeds = inputs.map(({ name, shape, parameters, data = [] }) => {
      const bytes = parameters?.binary_data_size ?? 0;
      const elements = size === undefined ? data : floats(body.subarray(offset, (offset += bytes)));
      return [name, new Tensor("float32", Float32Array.from(elements), [...shape])] as const;
    });
    try {
      const results = await this.#session.run(Object.fromEntries(feeds));
      send(response, Object.entries(results), outputs[0]?.parameters?.binary_data === true);
    } catch (error) {
      status(400, { error: String(error) })(response);
    }
  }
}

/** Answers with JSON. */
export const json =
  (value: unknown): Fault =>
  (response) =>
    status(200, value)(response);

/** Answers with a status and JSON. */
export const status =
  (code: number, value: unknown = { error: "on purpose" }, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

/** Answers with a status and a body that never ends. */
export const endless =
  (code: number): Fault =>
  (response) =>
    void response.writeHead(code, { "content-type": "application/json" }).write('{"error": "');

/** Closes the connection without an answer. */
export const hangUp: Fault = (response) => void response.destroy();

function describe({ name, shape }: InferenceSession.ValueMetadata & { shape?: readonly (number | string)[] }) {
  return { name, datatype: "FP32", shape: (shape ?? []).map((size) => (typeof size === "number" ? size : -1)) };
}

function floats(bytes: Buffer): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

function send(response: ServerResponse, results: readonly (readonly [string, Tensor])[], isBinary: boolean): void {
  const contents = results.map(([, { data }]) => Buffer.from(Float32Array.from(Array.from(data, Number)).buffer));
  const outputs = results.map(([name, { dims, data }], index) => ({
    name,
    datatype: "FP32",
    shape: dims,
    ...(isBinary ? { parameters: { binary_data_size: contents[index]?.length } } : { data: Array.from(data, Number) }),
  }));
  const text = Buffer.from(JSON.stringify({ model_name: "digits", outputs }));
  if (!isBinary) return void response.writeHead(200, { "content-type": "application/json" }).end(text);
  const headers = {
    "content-type": "application/octet-stream",
    "inference-header-content-length": String(text.length),
  };
  response.writeHead(200, headers).end(Buffer.concat([text, ...contents]));
}
