import { expect, it } from "vitest";
import { RecoveryMeter } from "../page/recovery-meter.js";

it("measures an outage from the last answer to the reported loss, and from there to the next answer", () => {
  const meter = new RecoveryMeter();
  meter.good(100);
  meter.lost(350);
  meter.good(1150);
  meter.good(1200);
  expect(meter.outages).toEqual([{ detectMs: 250, recoverMs: 800 }]);
});

it("counts a second loss during a recovery as part of the same outage", () => {
  const meter = new RecoveryMeter();
  meter.good(100);
  meter.lost(150);
  meter.lost(900);
  meter.good(1900);
  expect(meter.outages).toEqual([{ detectMs: 50, recoverMs: 1750 }]);
});
