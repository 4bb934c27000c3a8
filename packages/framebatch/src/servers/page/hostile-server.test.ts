import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createModelOn } from "./create-remote-model.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { type Fault, InferenceServer } from "../../../test/support/inference-server.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { withClock } from "@framebatch/host/test/settling.js";

const DIGITS = readFileSync(new URL("../../../../../models/digits/digits.onnx", import.meta.url));
const ITEM = new Float32Array(784);

let server: InferenceServer;

beforeAll(async () => {
  server = await InferenceServer.start(DIGITS);
});
afterAll(() => server.close());

/** Parts of a description of outputs, right or wrong. */
const outputs = fc.array(
  fc.record(
    {
      name: fc.constantFrom("logits", "logits", "__proto__", "constructor"),
      datatype: fc.constantFrom("FP32", "FP32", "BYTES", "BOOL", "toString"),
      shape: fc.oneof(
        fc.constantFrom([1, 10], [8, 10], [0, 10]),
        fc.array(fc.oneof(fc.integer(), fc.maxSafeInteger())),
      ),
      data: fc.oneof(fc.constantFrom(Array(10).fill(0), Array(80).fill(0), []), fc.jsonValue()),
      parameters: fc.oneof(fc.record({ binary_data_size: fc.oneof(fc.integer(), fc.jsonValue()) }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 3 },
);

const headers = fc.record(
  {
    "content-type": fc.constantFrom("application/json", "application/octet-stream", "text/html", "image/png"),
    "inference-header-content-length": fc.oneof(fc.integer().map(String), fc.constantFrom("NaN", "1e9", "0x10")),
    "content-length": fc.nat(100).map(String),
    "retry-after": fc.oneof(fc.integer().map(String), fc.constantFrom("soon", "Fri, 31 Dec 9999 23:59:59 GMT")),
    location: fc.constantFrom("https://elsewhere.example/", "/", "file:///etc"),
  },
  { requiredKeys: [] },
);

/** A list in a list in a list, as text. */
const nested = (depth: number) => `${"[".repeat(depth)}0${"]".repeat(depth)}`;

const nestedOutput = fc
  .tuple(fc.constantFrom("[8,10]", nested(20_000)), fc.constantFrom("[]", nested(20_000)))
  .map(([shape, data]) => `{"outputs":[{"name":"logits","datatype":"FP32","shape":${shape},"data":${data}}]}`);

const bodies = fc.oneof(
  nestedOutput,
  outputs.map((list) => JSON.stringify({ outputs: list })),
  outputs.map((list) => JSON.stringify({ outputs: list }).slice(0, -3)),
  fc.json(),
  fc.constantFrom("", "null", "[[[[", "<!doctype html>", '{"error":{"toString":1}}'),
);

const statuses = fc.constantFrom(200, 200, 200, 204, 206, 302, 400, 401, 404, 418, 429, 500, 503);

interface HostileAnswer {
  readonly code: number;
  readonly named: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Whether the body ends as it should, or the connection breaks off. */
  readonly ends: boolean;
}

const answers: fc.Arbitrary<HostileAnswer> = fc.record({
  code: statuses,
  named: headers,
  body: bodies,
  ends: fc.boolean(),
});

function answering({ code, named, body, ends }: HostileAnswer): Fault {
  return (response) => {
    for (const [name, value] of Object.entries(named)) if (value !== undefined) response.setHeader(name, value);
    if (ends) response.removeHeader("content-length");
    response.writeHead(code);
    if (ends) response.end(body);
    else response.write(body === "" ? " " : body, () => response.destroy());
  };
}

it("a server can only cause an error, whatever it answers", async () => {
  const clock = new ManualClock();
  const model = await createModelOn(
    server.url,
    { model: "digits", maxResponseBytes: 100_000 },
    { timer: clock, random: () => 1 },
  );
  const right = await model.predict(ITEM);
  const outcomeOf = () => model.predict(ITEM).catch((error: unknown) => error);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 8), answers, async (count, answer) => {
      server.faults.push(...Array.from({ length: 3 }, () => answering(answer)));
      const waiting = Promise.all(Array.from({ length: count }, outcomeOf));
      for (const outcome of await withClock(clock, 50, waiting)) {
        if (outcome instanceof FramebatchError) expect(outcome.code).toMatch(/^REMOTE_\w+$/);
        else expect(outcome).toMatchObject({ logits: { type: "float32", dims: [10] } });
      }
      server.faults.length = 0;
      expect(await model.predict(ITEM)).toEqual(right);
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
  );
  await model.dispose();
});
