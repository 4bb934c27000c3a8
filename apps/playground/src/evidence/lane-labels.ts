import type { LaneName } from "../measure/gain.js";

export const LANE_LABELS: Readonly<Record<LaneName, string>> = {
  batched: "Batching on",
  single: "Batching off",
};
