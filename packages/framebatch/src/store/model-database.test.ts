import { until } from "@framebatch/host/test/settling.js";
import { get } from "idb-keyval";
import { afterEach, expect, it, vi } from "vitest";
import { ModelDatabase } from "./model-database.js";
import { type FakeConnection, stubIdb } from "../../test/support/fake-idb.js";

afterEach(() => void vi.unstubAllGlobals());

/** A database with a value, whose connections the test knows. */
function open() {
  const opened: FakeConnection[] = [];
  stubIdb({ manifests: new Map([["key", "value"]]), bytes: new Map() }, (connection) => opened.push(connection));
  const { manifests } = new ModelDatabase();
  return { opened, read: () => get("key", manifests) };
}

it("the late end of a lost connection leaves the newer one, which another tab may close", async () => {
  const { opened, read } = open();
  await read();
  const [lost] = opened;
  lost!.isLost = true;
  expect(await read()).toBe("value");
  lost!.dispatchEvent(new Event("close"));
  expect(await read()).toBe("value");
  for (const connection of opened) connection.dispatchEvent(new Event("versionchange"));
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  expect(await read()).toBe("value");
  expect(opened).toHaveLength(3);
});

it("a connection closes itself when another tab asks for it, not the newer one", async () => {
  const { opened, read } = open();
  await read();
  const [first] = opened;
  first!.dispatchEvent(new Event("close"));
  await read();
  first!.dispatchEvent(new Event("versionchange"));
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]);
});

it("a database that does not open is opened again at the next call", async () => {
  const { opened, read } = open();
  const refused = vi.spyOn(indexedDB, "open").mockImplementationOnce(() => {
    throw new Error("not now");
  });
  await expect(read()).rejects.toThrow("not now");
  expect(await read()).toBe("value");
  expect([refused.mock.calls.length, opened.length]).toEqual([2, 1]);
});

it("whoever shuts a database down hears when nothing is in progress, also if another has done so before", async () => {
  stubIdb();
  const database = new ModelDatabase();
  let end: (() => void) | null = null;
  const writing = database.manifests("readwrite", () => new Promise<void>((resolve) => (end = resolve)));
  await until(() => end !== null);
  const ended = Promise.all([database.shutDown(), database.shutDown()]);
  end!();
  await writing;
  await ended;
});
