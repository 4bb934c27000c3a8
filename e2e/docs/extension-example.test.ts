import { readFileSync } from "node:fs";
import path from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { ROOT } from "./snippets.js";

type Listener = (message: object, sender: object, respond: (answer: object) => void) => boolean;

/** Runs the service worker of the extension with the browser's part of it. */
function startBackground(createDocument: () => Promise<void>, hasDocument: () => Promise<boolean>) {
  let listener: Listener | undefined;
  const onMessage = { addListener: (added: Listener) => (listener = added) };
  const code = readFileSync(path.join(ROOT, "apps/examples/public/extension/background.js"), "utf8");
  runInNewContext(code, { chrome: { offscreen: { createDocument, hasDocument }, runtime: { onMessage } } });
  return () => new Promise<object>((respond) => listener?.({ type: "open" }, {}, respond));
}

test("who asks for the hidden page of the extension gets an answer, also where it cannot open; the next one tries again", async () => {
  const createDocument = vi.fn(() => Promise.resolve());
  createDocument.mockRejectedValueOnce(new Error("no offscreen documents here"));
  const open = startBackground(createDocument, () => Promise.resolve(false));
  expect(await open()).toEqual({ error: "no offscreen documents here" });
  expect(await open()).toEqual({});
  expect(createDocument).toHaveBeenCalledTimes(2);
});

test("who asks for the hidden page of the extension while it opens waits until it is open", async () => {
  let opened = (): void => {};
  let exists = false;
  const createDocument = vi.fn(() => {
    exists = true;
    return new Promise<void>((resolve) => (opened = resolve));
  });
  const open = startBackground(createDocument, () => Promise.resolve(exists));
  const answers: object[] = [];
  const asked = [open().then((answer) => answers.push(answer))];
  await expect.poll(() => createDocument.mock.calls).not.toEqual([]);
  asked.push(open().then((answer) => answers.push(answer)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(answers).toEqual([]);
  opened();
  await Promise.all(asked);
  expect(createDocument).toHaveBeenCalledTimes(1);
});
