import { expect, test } from "vitest";
import { FUNCTIONS } from "../found/functions.js";
import { GROUPS } from "../found/groups.js";
import { HANDLERS } from "../found/handlers.js";
import { MODELS } from "../found/models.js";
import { SEQUENCES } from "../found/sequences.js";
import { SERVERS } from "../found/servers.js";
import { TABS } from "../found/tabs.js";
import { examine } from "../src/examine.js";
import { threadsOf } from "./threads.js";

const FOUND = [...FUNCTIONS, ...MODELS, ...TABS, ...SERVERS, ...HANDLERS, ...GROUPS, ...SEQUENCES];

const threads = await threadsOf();

for (const { what, scenario, seeds = 1, answered } of FOUND) {
  test(what, async () => {
    for (let seed = scenario.seed; seed < scenario.seed + seeds; seed++) {
      const report = await examine({ ...scenario, seed }, threads);
      expect(report.violations).toEqual([]);
      if (answered !== undefined) expect(report.answered).toBe(answered);
    }
  });
}
