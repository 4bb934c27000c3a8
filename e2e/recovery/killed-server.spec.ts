import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { KillableServer } from "../support/sites/killable-server.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

const REQUESTS = Number(process.env["FRAMEBATCH_FLEET_REQUESTS"] ?? 20_000);
/** Between two kills. 20,000 requests take a few seconds. */
const KILL_EVERY_MS = REQUESTS > 20_000 ? 5000 : 1000;
const CALLERS = 64;
const TOLERANCE = 1e-4;

test(
  "nothing is lost or wrong in a browser while its server is killed again and again",
  { tag: LONG },
  async ({ harness }) => {
    const server = new KillableServer();
    await server.start();
    try {
      let isOver = false;
      const answered = harness
        .evaluate(
          async ([url, source, requests, callers, tolerance]) => {
            const { createBatchedModel, itemsFor } = window.harness;
            type Answer = Readonly<Record<string, { readonly data: ArrayLike<unknown> }>>;
            const logitsOf = ({ logits }: Answer) => Array.from(logits!.data, Number);
            const items = itemsFor("digits", 32);
            const local = await createBatchedModel(source, { verify: false });
            const expected = (await local.predictMany(items)).map(logitsOf);
            await local.dispose();
            const remote = { url, model: "digits", mode: "prefer-in-cloud" } as const;
            const model = await createBatchedModel(source, { remote });
            let [made, right, wrong] = [0, 0, 0];
            const caller = async () => {
              while (made < requests) {
                const index = made++ % items.length;
                const logits = logitsOf(await model.predict(items[index]!));
                const isRight = logits.every((logit, at) => Math.abs(logit - expected[index]![at]!) <= tolerance);
                if (isRight) right += 1;
                else wrong += 1;
              }
            };
            await Promise.all(Array.from({ length: callers }, caller));
            const stats = model.stats();
            await model.dispose();
            return { right, wrong, requests: stats.requests };
          },
          [server.url, MODEL_PATHS.digits, REQUESTS, CALLERS, TOLERANCE] as const,
        )
        .finally(() => (isOver = true));
      let kills = 0;
      for (; ; kills += 1) {
        await Promise.race([sleep(KILL_EVERY_MS), answered]);
        if (isOver) break;
        await server.kill();
        await server.start();
      }
      const { right, wrong, requests } = await answered;
      test.info().annotations.push({ type: "killed server", description: JSON.stringify({ kills, ...requests }) });
      expect({ right, wrong, rejected: requests.rejected }).toEqual({ right: REQUESTS, wrong: 0, rejected: 0 });
      expect(kills).toBeGreaterThan(0);
      expect(requests.movedTo.device).toBeGreaterThan(0);
    } finally {
      await server.kill();
    }
  },
);
