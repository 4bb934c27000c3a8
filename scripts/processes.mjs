// What /proc says of processes and their threads. Linux only.
import { readdirSync, readFileSync } from "node:fs";

/** The clock of processor time ticks a hundred times a second on Linux. */
const TICK_MS = 10;

/** Returns the ids of all processes. */
export function processIds() {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

/**
 * Returns the name of a process or thread, its parent's id, and the processor time that it has taken, in milliseconds. One
 * that has just ended has no name, no parent and no time.
 * @param {string} folder
 */
export function statOf(folder) {
  try {
    const text = readFileSync(`${folder}/stat`, "utf8");
    const end = text.lastIndexOf(")");
    // The fields from the third one on. The 14th and the 15th are ticks in the program and in the system.
    const fields = text.slice(end + 2).split(" ");
    const cpuMs = TICK_MS * (Number(fields[11]) + Number(fields[12]));
    return { name: text.slice(text.indexOf("(") + 1, end), parent: fields[1] ?? "", cpuMs };
  } catch {
    return { name: "", parent: "", cpuMs: 0 };
  }
}
