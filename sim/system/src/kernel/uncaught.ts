import { writeSync } from "node:fs";
import process from "node:process";
import { stage } from "./stage.js";

/** Gives what no code catches to the realm in whose task it happened. Called once in a process. */
export function catchUncaught(): void {
  process.on("unhandledRejection", (reason) => {
    const realm = stage.world?.current;
    if (!realm) throw reason;
    realm.reportRejection(reason);
  });
  process.on("uncaughtException", (error) => {
    const realm = stage.world?.current;
    if (realm) return realm.reportError(error);
    // At once: a test runner keeps what the console gets, and ends with this process.
    writeSync(process.stderr.fd, `${error.stack ?? String(error)}\n`);
    process.exit(2);
  });
}
