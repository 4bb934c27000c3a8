import os from "node:os";
import process from "node:process";
import type { Machine } from "../results/report.js";

export function describeMachine(): Machine {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? "unknown",
    cores: cpus.length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    os: `${os.type()} ${os.release().split(".", 2).join(".")} ${os.arch()}`,
    node: process.version,
  };
}
