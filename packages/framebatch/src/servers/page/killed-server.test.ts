import { readFileSync } from "node:fs";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { KillableServer } from "../../../test/support/killable-server.js";
import { hybridInNode, modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

const DIGITS = new Uint8Array(readFileSync(new URL("../../../../../models/digits/digits.onnx", import.meta.url)));
/** 100,000 show more than the default, in a few minutes. */
const REQUESTS = Number(process.env["FRAMEBATCH_FLEET_REQUESTS"] ?? 1000);
/**
 * Between two kills, the server answers for at least this time, in milliseconds, and this many requests are answered.
 */
const [KILL_EVERY_MS, KILL_AFTER] = REQUESTS > 10_000 ? [5000, 0] : [0, 400];
const IN_FLIGHT = 64;
const TOLERANCE = 1e-4;

const images = Array.from({ length: 32 }, (_, seed) =>
  Float32Array.from({ length: 784 }, (_pixel, index) => (index % (seed + 2) === 0 ? 1 : 0.1)),
);
const LOCAL = { executionProviders: ["wasm"], verify: false } as const;

afterEach(() => vi.unstubAllGlobals());

it("loses no request and answers none wrongly while the server is killed again and again", async () => {
  stubBrowser();
  const reference = await modelInNode(DIGITS, LOCAL);
  const expected = (await reference.predictMany(images)).map(logitsOf);
  await reference.dispose();
  const server = new KillableServer();
  onTestFinished(() => server.kill());
  await server.start();
  const remote = { url: server.url, model: "digits", mode: "prefer-in-cloud" } as const;
  const model = await hybridInNode(DIGITS, { ...LOCAL, remote });
  let [made, answered, wrong, kills] = [0, 0, 0, 0];
  let onAnswer = () => {};
  const caller = async () => {
    while (made < REQUESTS) {
      const index = made++ % images.length;
      const got = logitsOf(await model.predict(images[index]!));
      answered += 1;
      if (distance(got, expected[index]!) > TOLERANCE) wrong += 1;
      onAnswer();
    }
  };
  const callers = Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  for (;;) {
    const [startedAtMs, goal] = [performance.now(), answered + KILL_AFTER];
    const isOver = () => answered === REQUESTS;
    const isTime = () => answered >= goal && performance.now() - startedAtMs >= KILL_EVERY_MS;
    while (!isOver() && !isTime()) await new Promise<void>((resolve) => (onAnswer = resolve));
    await server.kill();
    if (isOver()) break;
    kills += 1;
    await server.start();
  }
  await callers;
  const { requests } = model.stats();
  await model.dispose();
  if (REQUESTS > 10_000) console.log(`${REQUESTS} requests, ${kills} kills: ${JSON.stringify(requests)}`);
  expect({ answered, wrong, rejected: requests.rejected }).toEqual({ answered: REQUESTS, wrong: 0, rejected: 0 });
  expect(requests.movedTo.device).toBeGreaterThan(0);
  expect(Math.min(requests.completed.device, requests.completed.server)).toBeGreaterThan(0);
  expect(kills).toBeGreaterThan(0);
}, 1_200_000);

function logitsOf({ logits }: Readonly<Record<string, { readonly data: ArrayLike<unknown> }>>): number[] {
  return Array.from(logits!.data, Number);
}

function distance(got: readonly number[], right: readonly number[]): number {
  return Math.max(...got.map((value, index) => Math.abs(value - right[index]!)));
}
