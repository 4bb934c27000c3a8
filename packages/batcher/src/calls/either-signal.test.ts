import { afterEach, expect, it, vi } from "vitest";
import { withEither } from "./either-signal.js";

afterEach(() => void vi.restoreAllMocks());

const hung = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

it.each([0, 1])("aborts with either signal, with its reason: %i", async (which) => {
  const controllers = [new AbortController(), new AbortController()];
  const opening = withEither([...controllers.map(({ signal }) => signal), undefined], hung);
  controllers[which]!.abort(which);
  controllers[1 - which]!.abort("later");
  await expect(opening).rejects.toBe(which);
});

it("is aborted at once with a signal that is", async () => {
  const signal = AbortSignal.abort("before");
  const seen = await withEither([new AbortController().signal, signal], async (either) => either.reason);
  expect(seen).toBe("before");
});

it("leaves nothing on a signal that lasts longer", async () => {
  const controller = new AbortController();
  const added = vi.spyOn(controller.signal, "addEventListener");
  let reason: unknown;
  const abort = await withEither([controller.signal], async (either) => {
    either.addEventListener("abort", () => (reason = either.reason));
    return added.mock.calls[0]?.[2];
  });
  controller.abort("after");
  expect(reason).toBeUndefined();
  expect(abort).toMatchObject({ signal: { aborted: true } });
});
