import { expect, test } from "../test.js";
import { NestedSession, TargetEnded } from "./nested-session.js";

test("a call fails that a shared worker has not answered before its end, and any later one", async ({
  browser,
  page,
  home,
}) => {
  await page.goto(home.url);
  // Kept: a shared worker ends with the last object that connects a page to it.
  const worker = await page.evaluateHandle(() => new SharedWorker("data:text/javascript,", "of this test"));
  const session = await browser.newBrowserCDPSession();
  const nested = await attach();
  const never = nested.send("Runtime.evaluate", {
    expression: "self.close(); new Promise(() => undefined)",
    awaitPromise: true,
  });
  await expect(never).rejects.toThrow(TargetEnded);
  await expect(nested.send("Runtime.enable")).rejects.toThrow(TargetEnded);
  await session.detach();
  await worker.dispose();

  async function attach(): Promise<NestedSession> {
    const { targetInfos } = await session.send("Target.getTargets");
    const targetId = targetInfos.find(({ title }) => title === "of this test")?.targetId ?? "";
    const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
    return new NestedSession(session, sessionId);
  }
});
