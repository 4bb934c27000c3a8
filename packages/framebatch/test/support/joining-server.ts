import type { ServerResponse } from "node:http";
import { type Fault, status } from "./inference-server.js";

/** How long a request waits for others, in milliseconds. */
const JOIN_MS = 20;

/** A tensor as MLServer reads it. */
export interface JoinedTensor {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

interface Waiting {
  readonly x: JoinedTensor;
  readonly response: ServerResponse;
}

/**
 * Answers inferences of a model with one input `x` and one output `y` as MLServer with adaptive batching does: requests
 * that arrive together become one, with the dims of the first; if it fails, all fail with 500; a list of numbers is sent as
 * a column; and a number that is not finite is sent as `null`.
 * @param compute returns the outputs of a run, a number for each row
 * @throws what it throws is the server's answer
 */
export function joiningServer(compute: (joined: JoinedTensor) => readonly number[]): Fault {
  let waiting: Waiting[] = [];
  const join = () => {
    const requests = waiting;
    waiting = [];
    const counts = requests.map(({ x }) => x.shape[0] ?? 0);
    const rows = counts.reduce((sum, count) => sum + count, 0);
    const shape = [rows, ...(requests[0]?.x.shape.slice(1) ?? [])];
    const data = requests.flatMap(({ x }) => x.data);
    try {
      if (data.length !== shape.reduce((product, size) => product * size, 1)) throw new Error("cannot reshape");
      const results = compute({ shape, data });
      let end = 0;
      for (const [index, { response }] of requests.entries()) {
        const count = counts[index] ?? 0;
        const output = { name: "y", datatype: "FP32", shape: [count, 1], data: results.slice(end, (end += count)) };
        status(200, { model_name: "digits", outputs: [output] })(response);
      }
    } catch (error) {
      for (const { response } of requests) status(500, { error: String(error) })(response);
    }
  };
  return (response, { body }) => {
    const [{ shape, data }] = JSON.parse(String(body)).inputs;
    waiting.push({ x: { shape, data: data.flat(9) }, response });
    if (waiting.length === 1) setTimeout(join, JOIN_MS);
  };
}

/** Returns the rows of a tensor. */
export function rowsOf({ shape: [rows = 0], data }: JoinedTensor): (readonly number[])[] {
  const length = data.length / rows;
  return Array.from({ length: rows }, (_, row) => data.slice(row * length, (row + 1) * length));
}
