import type { Life, Play } from "../play/play.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Violation } from "../logs/violation.js";

/** What may keep tabs apart: they find workers broken at other times, or want other bytes. */
const DISTURBING =
  /"poison":"(hang|trap)"|"on":"(run|request)"|"does":"(deploy|mute shared)"|"pin"|"do":"(restart|busy|freeze)"/;

/**
 * Tabs that share a session count the same tabs: those that have it, also when its worker or a page has ended. Judged where all
 * options of a model are the same, because some do not matter to the session.
 */
export function checkTabs({ lives }: Play, scenario: Scenario): Violation[] {
  const sharing = lives.filter(isSharing);
  if (sharing.length === 0 || isDisturbed(lives, scenario)) return [];
  return sharing.flatMap((life) => {
    const alike = sharing.filter((other) => modelOf(other, scenario) === modelOf(life, scenario));
    const areEqual = alike.every(({ options }) => JSON.stringify(options) === JSON.stringify(life.options));
    const { tabs } = sharedOf(life);
    if (!areEqual || tabs === alike.length) return [];
    return [{ rule: "tabs", what: `subject ${life.index} counts ${String(tabs)} tabs of ${alike.length}` }];
  });
}

/** Time in which the other tabs notice the end of their worker, in milliseconds. A tab that opens meanwhile starts it anew, without them. */
const NOTICED_MS = 100;

/**
 * Also where a worker ends while a tab opens: a tab that has met its end asks for another session than those that come later. And
 * where two end before one opens: a tab that has met both has left the GPU, which the later one tries first.
 */
function isDisturbed(lives: readonly Life[], scenario: Scenario): boolean {
  if (DISTURBING.test(JSON.stringify(scenario))) return true;
  const ends = scenario.faults.flatMap((fault) =>
    fault.on === "time" && (fault.does === "kill" || fault.does === "lose GPU") ? [fault.atMs] : [],
  );
  const before = (ms: number) => ends.filter((atMs) => atMs <= ms).length;
  return lives.some(
    ({ opened }) => before(opened.untilMs) > before(opened.fromMs - NOTICED_MS) || before(opened.fromMs) > 1,
  );
}

function modelOf({ index }: Life, { subjects }: Scenario): string | null {
  const subject = subjects[index]!;
  return "model" in subject ? subject.model : null;
}

function isSharing(life: Life): boolean {
  const { callable, page, disposedAtMs, options } = life;
  if (options["shared"] !== true || callable?.state !== "ready" || page.isEnded || disposedAtMs !== null) return false;
  return sharedOf(life).isShared === true;
}

function sharedOf({ callable }: Life): { readonly isShared?: unknown; readonly tabs?: unknown } {
  const { shared }: { shared?: unknown } = Object(callable?.stats());
  return Object(shared);
}
