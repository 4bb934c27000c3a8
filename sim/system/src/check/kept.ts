import type { WorkerRealm } from "../browser/worker-realm.js";
import type { Life, Play } from "../play/play.js";
import type { Scene } from "../play/stagehand.js";
import type { Witness } from "../logs/witness.js";
import type { Violation } from "../logs/violation.js";

/** So many entries of one map are no chance. */
const MANY = 10;

/**
 * What has ended is not kept: a worker has no state of a sequence that has ended, in its memory or on the GPU, no tensor that nobody
 * reads, and no session of a model of a group.
 */
export function checkKept({ lives }: Play, { origin }: Scene): Violation[] {
  const workers = origin.threads.runningWorkers;
  const ended = lives.reduce((sum, life) => sum + endedSequences(life), 0);
  const largest = Math.max(0, ...workers.flatMap(({ maps }) => maps.filter(isByNumber).map(({ size }) => size)));
  const states: Violation[] =
    ended >= MANY && largest >= ended
      ? [{ rule: "kept", what: `${ended} sequences have ended, and a worker has a map with ${largest} entries` }]
      : [];
  states.push(...checkBuffers(lives, workers), ...checkTensors(origin.witness));
  // A session that has broken down is never released.
  return origin.fates.fatal > 0 ? states : [...states, ...checkSessions(lives, origin)];
}

/** A worker finds by number what it keeps for a page. Maps of objects belong to a batch, and end with it. */
function isByNumber(map: ReadonlyMap<unknown, unknown>): boolean {
  const [first] = map.keys();
  return typeof first === "number";
}

/** A tensor is released when everything that reads it has settled, and its handle was disposed of. */
function checkTensors({ keeping, hanging }: Witness): Violation[] {
  const kept = keeping.filter(({ page }) => !page.isEnded && !page.isFrozen && hanging.size === 0);
  const bytes = kept.reduce((sum, group) => sum + group.bytes(), 0);
  return bytes === 0 ? [] : [{ rule: "kept", what: `a group keeps ${bytes} bytes that nobody reads` }];
}

/** Each sequence has two states in its worker, of at most two tensors each. */
const MOST_BUFFERS = 4;

function checkBuffers(lives: readonly Life[], workers: readonly Pick<WorkerRealm, "gpu">[]): Violation[] {
  const open = lives.flatMap(({ parts, endedParts }) =>
    parts.filter(({ sequence }, part) => sequence !== null && !endedParts.has(part)),
  );
  const buffers = workers.reduce((sum, { gpu }) => sum + (gpu?.buffers ?? 0), 0);
  if (buffers <= MOST_BUFFERS * open.length) return [];
  return [{ rule: "kept", what: `${buffers} buffers on the GPU for ${open.length} sequences` }];
}

function endedSequences({ endedParts, parts }: Life): number {
  return [...endedParts.keys()].filter((part) => parts[part]?.sequence !== null).length;
}

/**
 * Judged where a group is alone: each of its models has one session. A rewritten model keeps its own beside that of the copy
 * for as long as a comparison that a fault has disturbed is not decided.
 */
function checkSessions(lives: readonly Life[], origin: Scene["origin"]): Violation[] {
  const [life, ...others] = lives;
  if (life?.kind !== "group" || others.length > 0 || life.disposedAtMs !== null) return [];
  const models = life.parts.filter(({ sequence }, part) => sequence === null && !life.endedParts.has(part));
  const mostCopies = origin.fates.isDisturbed ? models.filter(({ isRewritten }) => isRewritten).length : 0;
  const sessions = origin.threads.runningWorkers.reduce((sum, worker) => sum + worker.sessions, 0);
  if (sessions <= models.length + mostCopies) return [];
  return [{ rule: "kept", what: `${sessions} sessions for ${models.length} models of a group` }];
}
