import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ENTRIES, type Asked, type Entry } from "../../../test/support/entries.js";
import { Scene, taskSignal } from "@framebatch/batcher/test/scene.js";

/** The kinds of entry points: one item, a list, or a stream. `@batched` takes a list and no options. */
const KINDS = {
  "one item": ["predict", "predictDetailed", "batched()"],
  "a list": ["predictMany", ".many"],
  "a stream": ["predictStream"],
  "`@batched`": ["@batched"],
} as const;

type Kind = keyof typeof KINDS;

/** The kinds that take options. The page says of `@batched` that it takes none. */
const COLUMNS = ["one item", "a list", "a stream"] as const satisfies readonly Kind[];

/** The meaning of an option for a kind, and a check that it holds. */
interface Cell {
  readonly means: string;
  readonly holds: (name: string) => Promise<void>;
}

const TABLE: Readonly<Record<string, Readonly<Record<Kind, Cell>>>> = {
  "`signal` aborts": {
    "one item": { means: "rejects with `signal.reason`; a queued request never runs", holds: rejectsWhenAborted },
    "a list": { means: "rejects with `signal.reason`, and takes back all items", holds: rejectsWhenAborted },
    "a stream": {
      means: "ends with `signal.reason` at once, even while the source is silent",
      holds: rejectsWhenAborted,
    },
    "`@batched`": notTaken({ signal: new AbortController().signal }),
  },
  "`signal` has aborted": {
    "one item": { means: "queues nothing", holds: asksNothingWhereAborted },
    "a list": { means: "reads nothing", holds: asksNothingWhereAborted },
    "a stream": { means: "pulls nothing", holds: asksNothingWhereAborted },
    "`@batched`": notTaken({ signal: AbortSignal.abort() }),
  },
  "`signal` is a `TaskSignal`": {
    "one item": { means: "its priority counts, and changes of it", holds: followsTaskSignal },
    "a list": { means: "its priority counts for all items, and changes of it", holds: followsTaskSignal },
    "a stream": { means: "its priority counts for all items, and changes of it", holds: followsTaskSignal },
    "`@batched`": notTaken({ signal: taskSignal().signal }),
  },
  "`priority`": {
    "one item": { means: "its place in the queue; counts before that of a `TaskSignal`", holds: ordersByPriority },
    "a list": { means: "the place of all items; counts before that of a `TaskSignal`", holds: ordersByPriority },
    "a stream": { means: "the place of all items; counts before that of a `TaskSignal`", holds: ordersByPriority },
    "`@batched`": notTaken({ priority: "background" }),
  },
  "`timeoutMs`": {
    "one item": { means: "`TIMED_OUT`, counted from the call", holds: timesOut },
    "a list": { means: "`TIMED_OUT` for the list, counted from the call", holds: timesOut },
    "a stream": { means: "`TIMED_OUT` at the item's turn, counted from when it was queued", holds: timesOut },
    "`@batched`": notTaken({ timeoutMs: 50 }),
  },
  "`key`": {
    "one item": {
      means: "takes the place of a queued request with the key, which rejects with `SUPERSEDED`",
      holds: supersedes,
    },
    "a list": { means: "`INVALID_OPTION`: its items would supersede each other", holds: refusesKey },
    "a stream": { means: "`INVALID_OPTION`: its items would supersede each other", holds: refusesKey },
    "`@batched`": notTaken({ key: "wheel" }),
  },
  "`transfer` (models)": {
    "one item": { means: "moves the item's arrays before the call returns", holds: transfers },
    "a list": { means: "moves the arrays of all items before the call returns", holds: transfers },
    "a stream": { means: "moves the arrays of each item as it is pulled", holds: transfers },
    "`@batched`": notTaken({ transfer: true }),
  },
};

describe.each(Object.entries(TABLE))("%s", (_option, cells) => {
  const pairs = Object.entries(KINDS).flatMap(([kind, names]) =>
    names.map((name) => ({ name, ...cellOf(cells, kind) })),
  );
  it.each(pairs)("$name: $means", async ({ name, holds }) => holds(name));
});

describe("the documentation of request options", () => {
  it("contains the table that these tests check", () => {
    const page = readFileSync(new URL("../../../../../docs/requests.md", import.meta.url), "utf8");
    const rows = [["Option", ...COLUMNS], ...Object.entries(TABLE).map(rowOf)];
    expect(
      page
        .split("\n")
        .map(cellsOf)
        .filter((cells) => cells.length > 1),
    ).toEqual(rows);
  });
});

function cellOf(cells: Readonly<Record<string, Cell>>, kind: string): Cell {
  const cell = cells[kind];
  if (cell === undefined) throw new RangeError(`expected a cell for ${kind}, got none`);
  return cell;
}

function rowOf([option, cells]: readonly [string, Readonly<Record<Kind, Cell>>]): string[] {
  return [option, ...COLUMNS.map((kind) => cells[kind].means)];
}

/** Returns the cells of one table line; none for the separator below the header, and none for other lines. */
function cellsOf(line: string): string[] {
  if (!line.startsWith("|") || /^\|[-| ]+\|$/.test(line)) return [];
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

/** Two batches of one item, which keep the engine busy. */
const FILLING = [91, 92];

/** An entry point whose engine is full, so that the next requests are queued. */
async function busy(name: string): Promise<{ scene: Scene; entry: Entry }> {
  const scene = new Scene();
  const entry = entryOf(name, scene);
  for (const item of FILLING) void entry.ask([item]);
  await scene.step();
  expect(scene.batches.flat()).toEqual(FILLING);
  return { scene, entry };
}

function entryOf(name: string, scene: Scene): Entry {
  const create = ENTRIES[name];
  if (create === undefined) throw new RangeError(`expected one of ${Object.keys(ENTRIES).join()}, got ${name}`);
  return create(scene, 1);
}

/** A method keeps its own arguments: options in later arguments have no effect. */
function notTaken(asked: Asked): Cell {
  return {
    means: "not taken: the method keeps its own arguments",
    async holds(name) {
      const { scene, entry } = await busy(name);
      const answers = [entry.ask([1], asked), entry.ask([2]), entry.ask([3], asked)];
      await scene.step();
      scene.clock.advanceTo(1000);
      await scene.answerAll();
      expect(await Promise.all(answers)).toEqual([[2], [4], [6]]);
      expect(scene.batches.flat()).toEqual([...FILLING, 1, 2, 3]);
    },
  };
}

/** Returns the error code or the reason of a rejected call. */
function failureOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => "resolved",
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
  );
}

async function rejectsWhenAborted(name: string): Promise<void> {
  const { scene, entry } = await busy(name);
  const controller = new AbortController();
  const failure = failureOf(entry.ask([1, 2], { signal: controller.signal }));
  const other = entry.ask([3]);
  await scene.step();
  controller.abort("changed my mind");
  expect(await failure).toBe("changed my mind");
  await scene.answerAll();
  expect(await other).toEqual([6]);
  expect(scene.batches.flat()).toEqual([...FILLING, 3]);
}

async function asksNothingWhereAborted(name: string): Promise<void> {
  const scene = new Scene();
  const entry = entryOf(name, scene);
  let read = 0;
  const items = new Proxy([1, 2], {
    get: (list, property, receiver): unknown => {
      if (property === "0") read += 1;
      return Reflect.get(list, property, receiver);
    },
  });
  expect(await failureOf(entry.ask(items, { signal: AbortSignal.abort("too late") }))).toBe("too late");
  await scene.answerAll();
  expect(scene.batches).toEqual([]);
  if (name === "predictMany" || name === "predictStream") expect(read).toBe(0);
}

async function followsTaskSignal(name: string): Promise<void> {
  const { scene, entry } = await busy(name);
  const [low, raised] = [taskSignal(), taskSignal()];
  const asked = [entry.ask([1], { signal: low.signal }), entry.ask([2]), entry.ask([3], { signal: raised.signal })];
  await scene.step();
  raised.set("user-blocking");
  await scene.answerAll();
  expect(await Promise.all(asked)).toEqual([[2], [4], [6]]);
  expect(scene.batches.flat()).toEqual([...FILLING, 3, 2, 1]);
}

async function ordersByPriority(name: string): Promise<void> {
  const { scene, entry } = await busy(name);
  const { signal } = taskSignal();
  const asked = [
    entry.ask([1], { priority: "background" }),
    entry.ask([2]),
    entry.ask([3], { priority: "user-blocking", signal }),
  ];
  await scene.answerAll();
  expect(await Promise.all(asked)).toEqual([[2], [4], [6]]);
  expect(scene.batches.flat()).toEqual([...FILLING, 3, 2, 1]);
}

async function timesOut(name: string): Promise<void> {
  const { scene, entry } = await busy(name);
  const failure = failureOf(entry.ask([1], { timeoutMs: 50 }));
  const patient = entry.ask([2], { timeoutMs: 500 });
  await scene.step();
  scene.clock.advanceTo(51);
  expect(await failure).toBe("TIMED_OUT");
  await scene.answerAll();
  expect(await patient).toEqual([4]);
  expect(scene.batches.flat()).toEqual([...FILLING, 2]);
}

async function supersedes(name: string): Promise<void> {
  const { scene, entry } = await busy(name);
  const older = failureOf(entry.ask([1], { key: "wheel" }));
  const other = entry.ask([2]);
  const newer = entry.ask([3], { key: "wheel" });
  expect(await older).toBe("SUPERSEDED");
  await scene.answerAll();
  expect(await Promise.all([other, newer])).toEqual([[4], [6]]);
  expect(scene.batches.flat()).toEqual([...FILLING, 3, 2]);
}

async function refusesKey(name: string): Promise<void> {
  const { scene, entry } = await busy(name);
  const asked: Asked = { key: "wheel" };
  expect(await failureOf(entry.ask([1, 2], asked))).toBe("INVALID_OPTION");
  expect(await failureOf(entry.ask([], asked))).toBe("INVALID_OPTION");
  await scene.answerAll();
  expect(scene.batches.flat()).toEqual(FILLING);
}

async function transfers(name: string): Promise<void> {
  const scene = new Scene();
  const entry = entryOf(name, scene);
  const asked = entry.ask([1], { transfer: true });
  if (name === "batched()" || name === ".many") {
    // Functions receive their items as they are, so there is nothing to move.
    expect(await failureOf(asked)).toBe("INVALID_OPTION");
    return;
  }
  if (name === "predictStream") await scene.step();
  expect(scene.arrays.map(({ length }) => length)).toEqual([0]);
  await scene.answerAll();
  expect(await asked).toEqual([2]);
}
