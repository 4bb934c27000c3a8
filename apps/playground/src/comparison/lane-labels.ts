import type { LaneName } from "../measure/compare.js";

export const LANE_LABELS: Readonly<Record<LaneName, string>> = {
  batched: "Batching on",
  single: "Batching off",
};
