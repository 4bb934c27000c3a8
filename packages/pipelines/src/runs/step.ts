import type { Timer } from "@framebatch/host/clock.js";
import { OverloadLine } from "./overload-line.js";
import type { StepStats } from "./pipeline-stats.js";
import { Slots } from "./slots.js";
import type { StepInfo } from "./step-info.js";
import { StepStatistics } from "./step-statistics.js";

/** A step of a pipeline, with what its open runs share. */
export class Step {
  readonly info: StepInfo;
  readonly slots: Slots;
  readonly overloaded: OverloadLine;
  statistics = new StepStatistics();

  constructor(info: StepInfo, timer: Timer) {
    this.info = info;
    this.slots = new Slots(info.targetSize ?? (() => 1));
    this.overloaded = new OverloadLine(timer);
  }

  stats(): StepStats {
    return this.statistics.snapshot(this.info, this.maxParts);
  }

  /** Maximum number of parts of streams in the step. */
  get maxParts(): number {
    return this.info.kind === "stage" ? this.slots.limit : 0;
  }

  /** Restarts the statistics. Open parts count as accepted in the new ones. */
  resetStatistics(): void {
    this.statistics = new StepStatistics(this.statistics.inFlight);
  }
}
