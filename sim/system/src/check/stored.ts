import { createHash } from "node:crypto";
import { SimBlob } from "../browser/blob.js";
import { modelUrl } from "../actors/callable.js";
import type { Life, Play } from "../play/play.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Scene } from "../play/stagehand.js";
import type { Violation } from "../logs/violation.js";

/** The names of framebatch's database and its stores, and how its keys begin. */
const DATABASE = "framebatch-models";
const MANIFEST = "manifest ";

/** What may keep a model out of the store: faults of the store, and what ends or stops its worker: what is not yet written then is dropped. */
const DISTURBING = /"does":"((fill|block|abort) store|evict)"|"do":"(freeze|crash|restart|dispose)"/;

/**
 * At rest, the store holds what its manifests say. It also holds each model that was opened with it, although the
 * browser may have closed the database once.
 */
export function checkStored({ lives }: Play, scenario: Scenario, { origin }: Scene): Violation[] {
  const manifests = origin.databases.records(DATABASE, "manifests");
  const bytes = origin.databases.records(DATABASE, "bytes");
  const wrong = [...manifests].filter(
    ([key, manifest]) => key.startsWith(MANIFEST) && !isOf(manifest, bytes.get(key.slice(MANIFEST.length))),
  );
  const missing = lives.filter((life) => isKept(life) && !manifests.has(`${MANIFEST}${urlOf(life, scenario)}`));
  const isDisturbed = origin.fates.fatal > 0 || closings(scenario) > 1 || DISTURBING.test(JSON.stringify(scenario));
  return [
    ...wrong.map(([key]) => violation(`other bytes than those of "${key}"`)),
    ...(isDisturbed ? [] : missing.map(({ index }) => violation(`nothing of subject ${index}`))),
  ];
}

/** Where a browser refuses a Blob, its bytes are stored. */
function isOf(manifest: unknown, file: unknown): boolean {
  const stored = file instanceof ArrayBuffer ? new SimBlob([file]) : file;
  if (!(stored instanceof SimBlob)) return false;
  const { bytes, sha256 }: { bytes?: unknown; sha256?: unknown } = Object(manifest);
  return stored.size === bytes && createHash("sha256").update(stored.bytesNow).digest("base64") === sha256;
}

function isKept({ kind, options: { cache, picked }, opening }: Life): boolean {
  return kind === "model" && cache === true && picked !== true && opening === "open";
}

function urlOf({ index }: Life, { subjects }: Scenario): string {
  const subject = subjects[index]!;
  return modelUrl("model" in subject ? subject.model : "");
}

function closings({ faults }: Scenario): number {
  return faults.filter(({ does }) => does === "close store").length;
}

function violation(what: string): Violation {
  return { rule: "stored", what: `the store holds ${what}` };
}
