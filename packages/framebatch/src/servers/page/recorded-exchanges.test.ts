import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createModelOn } from "./create-remote-model.js";
import type { Outputs } from "../../client/options/model.js";
import { close, listen } from "../../../test/support/local-server.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

// What KServe's and MLServer's own servers have answered: npm run test:servers -- --record writes it.

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly base64?: string;
}

interface Recording {
  readonly server: string;
  readonly exchanges: readonly {
    readonly request: Message & { readonly method: string; readonly path: string };
    readonly response: Message & { readonly status: number };
  }[];
}

const DIGITS = readFileSync(new URL("../../../../../models/digits/digits.onnx", import.meta.url));

/** The drawings of scripts/servers/record.mjs. */
const ITEMS = [
  Float32Array.from({ length: 784 }, (_, index) => (index % 28 === 14 && index > 112 && index < 672 ? 1 : 0)),
  Float32Array.from({ length: 784 }, (_, index) => (index > 392 + 4 && index < 420 - 4 ? 1 : 0)),
];

/** What the model answers on this machine. */
let expected: Outputs[];

beforeAll(async () => {
  stubBrowser();
  const local = await modelInNode(new Uint8Array(DIGITS), { executionProviders: ["wasm"] });
  expected = await local.predictMany(ITEMS);
  await local.dispose();
  vi.unstubAllGlobals();
});

const bytesOf = ({ text = "", base64 }: Message) =>
  base64 === undefined ? Buffer.from(text) : Buffer.from(base64, "base64");

describe.each(["kserve", "mlserver"])("a remote model against what %s has answered", (name) => {
  const recording: Recording = JSON.parse(
    readFileSync(new URL(`../../../test/exchanges/${name}.json`, import.meta.url), "utf8"),
  );
  const unknown: string[] = [];
  const server = createServer((request, response) => void replay(request, response));
  let url: string;

  /** Answers a request that equals a recorded one, byte for byte, as the server has. */
  async function replay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const known = recording.exchanges.find(
      ({ request: { method, path, headers, ...message } }) =>
        method === request.method &&
        path === request.url &&
        Object.entries(headers).every(([header, value]) => request.headers[header] === value) &&
        bytesOf({ headers, ...message }).equals(body),
    );
    if (known === undefined) unknown.push(`${request.method} ${request.url} ${body.toString("latin1").slice(0, 200)}`);
    response.writeHead(known?.response.status ?? 500, known?.response.headers);
    response.end(known && bytesOf(known.response));
  }

  beforeAll(async () => {
    url = await listen(server);
  });
  afterAll(() => close(server));

  it.each(name === "kserve" ? [false, true] : [undefined])(
    "gives the answers of this machine (binary: %s)",
    async (binary) => {
      const options = { model: "digits", maxBatchSize: 2, ...(binary !== undefined && { binary }) };
      const model = await createModelOn(url, options);
      const answers = await model.predictMany(ITEMS);
      expect(model.stats()).toMatchObject({ isBinary: binary === true, batches: { count: 1 } });
      await model.dispose();
      expect(unknown).toEqual([]);
      for (const [index, { logits }] of answers.entries()) {
        expect(logits?.dims).toEqual([10]);
        const [got, right]: ArrayLike<unknown>[] = [logits!.data, expected[index]!["logits"]!.data];
        for (let digit = 0; digit < 10; digit++)
          expect(Math.abs(Number(got?.[digit]) - Number(right?.[digit]))).toBeLessThan(1e-4);
      }
    },
  );

  it("says which model is not there", async () => {
    await expect(createModelOn(url, { model: "other" })).rejects.toMatchObject({
      code: "REMOTE_STATUS",
      message: expect.stringMatching(/the status 404 \(".*other.*"\); check url, model and version/),
    });
    expect(unknown).toEqual([]);
  });
});
