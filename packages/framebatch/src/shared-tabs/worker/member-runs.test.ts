import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { answersOf, type Column, packRows } from "@framebatch/rows/collate/sent-rows.js";
import type { TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { LoadRequest } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { RowsReply } from "../../worker/host/replies.js";
import { SessionHost } from "../../worker/host/session-host.js";
import { joinRuns, Member, MemberRuns, RunSizes, splitByRun } from "./member-runs.js";
import { LOAD_REQUEST, scripted, silence } from "../../../test/support/scripted-plan.js";
import { Collator } from "@framebatch/rows/collate/collator.js";
import { planInputs } from "@framebatch/rows/collate/input-plan.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";

const members: Member[] = [];

function openMember(): Member {
  const [session, port] = [new MessageChannel(), new MessageChannel()];
  const api = () => scripted({ load: silence, run: silence });
  const member = new Member({
    session: session.port2,
    port: port.port2,
    mayMerge: true,
    api,
    onShutDown: async () => undefined,
  });
  members.push(member);
  return member;
}

/**
 * Loads a model, runs it once so that its time is known, and logs the number of pages and the timeout of each later
 * run, 1 ms for each row.
 */
async function open(name: string, columnOf: (...values: number[]) => Column, changes: Partial<LoadRequest> = {}) {
  const host = new SessionHost(() => undefined);
  const turns: string[] = [];
  const runs = new MemberRuns(host, (owners, ms) => turns.push(`${owners.size} pages, ${ms} ms`));
  const location = { blob: new Blob([generateModel(name).bytes]), sha256: null };
  const request = {
    ...LOAD_REQUEST,
    location,
    externalData: [],
    variants: [],
    providers: ["wasm" as const],
    ...changes,
  };
  const { reply } = await host.load(request);
  if (reply.outcome !== "ready") throw new Error(`expected a model, got ${JSON.stringify(reply)}`);
  runs.loaded(request, reply.model);
  const run = (member: Member, values: number[], mayMerge = true) =>
    runs.run(member, {
      rows: { count: values.length, sizes: [], columns: [columnOf(...values)] },
      paddedSize: values.length,
      extents: [],
      mayMerge,
      timeoutMs: values.length,
    });
  await run(openMember(), [1], false);
  turns.length = 0;
  return { run, runs, turns };
}

/** Multiplies each row by the number of rows in its run. */
const openRowCounter = (changes: Partial<LoadRequest> = {}) =>
  open(
    "mixing-batch-size",
    (...values) => Float32Array.from(values.flatMap((value) => Array.from({ length: 8 }, () => value))),
    changes,
  );

/** Fails if a row is 99. */
const openMarked = () => open("fails-on-marked-row", (...ids) => BigInt64Array.from(ids, BigInt));

/** Returns the first element of each row. */
function firsts({ reply }: Sent<RowsReply>): unknown {
  if (!reply.ok) return reply.error.code;
  const y = reply.outputs["y"];
  const count = y !== undefined && "dims" in y ? (y.dims[0] ?? 0) : 0;
  return answersOf(reply.outputs, count).map((answer) => answer["y"]?.data[0]);
}

function bufferOf(data: TensorData): unknown {
  return "buffer" in data ? data.buffer : null;
}

describe("runs of several pages", () => {
  afterEach(() => {
    for (const member of members.splice(0)) member.close();
  });

  it("run as one, with the rows of each page in its own reply, and say how many rows there were", async () => {
    const { run, turns } = await openRowCounter();
    const [first, second] = [openMember(), openMember()];
    const replies = await Promise.all([run(first, [10, 20]), run(second, [30]), run(first, [40])]);
    expect(replies.map(firsts)).toEqual([[30, 60], [90], [40]]);
    expect(turns).toEqual(["2 pages, 3 ms", "1 pages, 1 ms"]);
    expect(replies.map(({ reply }) => "rows" in reply && reply.rows)).toEqual([3, 3, false]);
    const buffers = replies.flatMap(({ reply }) =>
      reply.ok ? Object.values(reply.outputs).flatMap((rows) => [rows].flat().map(({ data }) => bufferOf(data))) : [],
    );
    expect(new Set(buffers).size).toBe(3);
  });

  it("run alone if a page does not allow more, or if batches have allowed sizes", async () => {
    const { run, turns } = await openRowCounter();
    const pages = [openMember(), openMember()] as const;
    await Promise.all([run(pages[0], [1], false), run(pages[1], [2])]);
    expect(turns).toEqual(["1 pages, 1 ms", "1 pages, 1 ms"]);
    const padded = await openRowCounter({ allowedBatchSizes: [1, 2, 64] });
    await Promise.all([padded.run(pages[0], [1]), padded.run(pages[1], [2])]);
    expect(padded.turns).toEqual(["1 pages, 1 ms", "1 pages, 1 ms"]);
  });

  it("hold at most the maximum batch size", async () => {
    const { run, turns } = await openRowCounter({ maxBatchSize: 2 });
    await Promise.all([1, 2, 3].map((value) => run(openMember(), [value])));
    expect(turns).toEqual(["2 pages, 2 ms", "1 pages, 1 ms"]);
  });

  it("give their rows back if they wait when their page leaves", async () => {
    const { run, runs } = await openRowCounter();
    const [first, second] = [openMember(), openMember()];
    const replies = [run(first, [1], false), run(second, [2], false)];
    runs.remove(second);
    const [answered, left] = (await Promise.all(replies)).map(({ reply }) => reply);
    expect(answered).toMatchObject({ ok: true });
    expect(left).toMatchObject({ ok: false, fatal: false, returned: { columns: [new Float32Array(8).fill(2)] } });
  });

  it("run alone after they have failed together, so that an item fails only its own page", async () => {
    const { run, turns } = await openMarked();
    const replies = await Promise.all([run(openMember(), [1]), run(openMember(), [99]), run(openMember(), [2])]);
    expect(replies.map(({ reply }) => reply.ok || reply.error.code)).toEqual([true, "INFERENCE_FAILED", true]);
    expect(turns).toEqual(["3 pages, 3 ms", ...Array.from({ length: 3 }, () => "1 pages, 1 ms")]);
  });
});

describe("runs of several pages as one", () => {
  it("give each page its own rows, in memory of their own", () => {
    const counts = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 });
    const property = fc.property(fc.nat(1), fc.boolean(), counts, (axis, isPadded, rowsOfPages) => {
      const dims = { dims: [null, null], symbols: ["a", "b"], batchAxis: axis };
      const signature = {
        inputs: [{ name: "x", type: "float32" as const, ...dims }],
        outputs: [{ name: "y", type: "float32" as const, ...dims }],
        fixedBatch: null,
      };
      const padding = planPadding(signature, isPadded ? { x: {} } : {});
      const collator = new Collator(signature, padding);
      let value = 0;
      const pages = rowsOfPages.map((count) =>
        Array.from({ length: count }, () =>
          Float32Array.from({ length: isPadded ? 1 + (value % 3) : 2 }, () => (value += 1)),
        ),
      );
      const extents = [isPadded ? 3 : 2];
      const requests = pages.map((items) => ({
        rows: packRows(
          collator.reader.plans,
          items.map((item) => collator.admit(item)),
        ).rows,
        paddedSize: items.length,
        extents,
      }));
      const { rows, paddedSize } = joinRuns(planInputs(signature, padding), requests);
      const { x } = collator.stackSent(rows, paddedSize, extents);
      const parts = splitByRun(collator.answer(rows, { y: x! }, paddedSize, extents), rowsOfPages);
      const answers = parts.map((part, page) => answersOf(part, rowsOfPages[page]!).map(({ y }) => y?.data));
      expect(answers).toEqual(pages);
      const buffers = new Set(answers.flat().map((data) => data !== undefined && "buffer" in data && data.buffer));
      expect(buffers.size).toBe(pages.flat().length);
    });
    fc.assert(property);
  });
});

/** Sizes for a model whose runs of some sizes have been timed. */
function sizesOf(msOf: (rows: number) => number, maxBatchSize = 32): RunSizes {
  const sizes = new RunSizes(maxBatchSize);
  for (let repeat = 0; repeat < 4; repeat += 1) {
    for (const rows of [1, 2, 4, 8, 16, 32]) sizes.observe({ rows, volume: 64 }, msOf(rows));
  }
  return sizes;
}

const mostlyFixed = (rows: number) => 1 + 0.01 * rows;
const mostlyArithmetic = (rows: number) => 0.01 + rows;

describe("the size of a merged run", () => {
  it("is 0 until a run time is known", () => {
    expect(new RunSizes(32).size(4, 4, 64)).toBe(0);
  });

  it("is everything that waits if the fixed cost of a run dominates", () => {
    expect(sizesOf(mostlyFixed).size(16, 16, 64)).toBe(16);
  });

  it("is one row if each row costs the same anyway", () => {
    expect(sizesOf(mostlyArithmetic).size(4, 4, 64)).toBe(1);
  });

  it("is at most the maximum batch size", () => {
    expect(sizesOf(mostlyFixed, 8).size(8, 8, 64)).toBe(8);
    expect(sizesOf(mostlyFixed, 8).size(64, 64, 64)).toBe(8);
  });

  it("is at most half of a run for which there was no memory", () => {
    const sizes = sizesOf(mostlyFixed);
    sizes.foundNoMemory({ rows: 16, volume: 64 });
    expect(sizes.size(16, 16, 64)).toBe(8);
  });
});
