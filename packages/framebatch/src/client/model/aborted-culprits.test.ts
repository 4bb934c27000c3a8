import type { ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModelOn } from "../../servers/page/create-remote-model.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { InferenceServer, type Received, json, status } from "../../../test/support/inference-server.js";
import { until } from "@framebatch/host/test/settling.js";

const DIGITS = readFileSync(new URL("../../../../../models/digits/digits.onnx", import.meta.url));
const PIXELS = 784;
/** The first pixel of an item that the server refuses. */
const CULPRIT = 99;

let server: InferenceServer;
beforeAll(async () => void (server = await InferenceServer.start(DIGITS)));
afterAll(() => server.close());

/** The first pixel of each row of a request. */
function firstPixels({ body }: Received): number[] {
  const { inputs }: { inputs: { data: number[] }[] } = JSON.parse(body.toString());
  return inputs[0]!.data.filter((_, index) => index % PIXELS === 0);
}

/** Refuses a batch that has the culprit, and gives zeros for every other one. */
function judge(response: ServerResponse, received: Received): void {
  const rows = firstPixels(received);
  if (rows.includes(CULPRIT)) return status(400, { error: `idx=${CULPRIT} out of data bounds` })(response);
  const data = Array.from({ length: 10 * rows.length }, () => 0);
  json({ outputs: [{ name: "logits", datatype: "FP32", shape: [rows.length, 10], data }] })(response, received);
}

describe("a batch whose culprit is aborted while its half runs", () => {
  // defect C2
  it.each([0, 1, 2, 3])("fails no other item, wherever the culprit is in its half (place %d)", async (place) => {
    const model = await createModelOn(server.url, { model: "digits" }, { timer: hostTimer, random: () => 1 });
    const ids = [0, 1, 2, 3, 4, 5, 6].toSpliced(place, 0, CULPRIT);
    const ran: number[][] = [];
    server.faults.length = 0;
    let answerHalf: (() => void) | null = null;
    server.faults.push(
      ...Array.from({ length: 12 }, () => (response: ServerResponse, received: Received) => {
        ran.push(firstPixels(received));
        if (ran.length === 2) answerHalf = () => judge(response, received);
        else judge(response, received);
      }),
    );
    const abort = new AbortController();
    const asked = ids.map((id) => {
      const image = new Float32Array(PIXELS).fill(id, 0, 1);
      return model.predict({ image }, id === CULPRIT ? { signal: abort.signal } : {});
    });
    const outcomes = Promise.allSettled(asked);
    await until(() => answerHalf !== null);
    expect(ran).toEqual([ids, ids.slice(0, 4)]);
    abort.abort("not wanted");
    answerHalf!();
    const failed = (await outcomes).flatMap((outcome, index) =>
      outcome.status === "rejected" ? [[ids[index], outcome.reason]] : [],
    );
    expect(failed).toEqual([[CULPRIT, "not wanted"]]);
    await model.dispose();
  });
});

it("answers the others of a failed batch when everything in the half that runs is aborted", async () => {
  const model = await createModelOn(server.url, { model: "digits" }, { timer: hostTimer, random: () => 1 });
  const ids = [0, CULPRIT, 2, 3, 4, 5];
  const ran: number[][] = [];
  server.faults.length = 0;
  server.faults.push(
    ...Array.from({ length: 6 }, () => (response: ServerResponse, received: Received) => {
      ran.push(firstPixels(received));
      // The first half gets no answer: its request is stopped when nobody waits for it any more.
      if (ran.length !== 2) judge(response, received);
    }),
  );
  const abort = new AbortController();
  const asked = ids.map((id, index) => {
    const image = new Float32Array(PIXELS).fill(id, 0, 1);
    return model.predict({ image }, index < 3 ? { signal: abort.signal } : {});
  });
  const outcomes = Promise.allSettled(asked);
  await until(() => ran.length === 2);
  expect(ran).toEqual([ids, ids.slice(0, 3)]);
  abort.abort("not wanted");
  expect((await outcomes).map((outcome) => (outcome.status === "rejected" ? outcome.reason : "answered"))).toEqual([
    ...Array.from({ length: 3 }, () => "not wanted"),
    ...Array.from({ length: 3 }, () => "answered"),
  ]);
  await model.dispose();
});
