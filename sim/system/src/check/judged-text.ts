import type { Entry, Ledger } from "../logs/ledger.js";
import type { Life } from "../play/play.js";
import type { Scenario } from "../scenario/scenario.js";
import { textAlone, type WholeText } from "../runtime/text-alone.js";
import type { TextLog } from "../logs/text-log.js";
import { isDecoder, type ModelName } from "../runtime/models.js";

/** A text, its call, and what it would be alone. */
export interface JudgedText {
  readonly entry: Entry;
  readonly log: TextLog;
  readonly alone: WholeText;
  readonly life: Life;
  readonly model: ModelName;
}

/** Returns the texts of a scenario that a decoder was asked for. */
export function judgeTexts(
  ledger: Ledger,
  lives: readonly Life[],
  scenario: Scenario,
  texts: readonly TextLog[],
): JudgedText[] {
  const logs = new Map(texts.map((log) => [log.item.id, log]));
  return [...ledger.entries.values()].flatMap((entry) => {
    const log = logs.get(entry.items[0]?.id ?? -1);
    const life = lives[entry.subject]!;
    return log === undefined
      ? []
      : [{ entry, log, alone: textAlone(log.item), life, model: modelOf(entry, life, scenario) }];
  });
}

function modelOf({ part }: Entry, { index }: Life, { subjects }: Scenario): ModelName {
  const subject = subjects[index]!;
  const name =
    subject.kind === "group" ? namesOf(subject.models)[part ?? 0] : subject.kind === "texts" ? subject.model : "";
  return name !== undefined && isDecoder(name) ? name : "leftward";
}

/** Returns the names of the parts of a group. */
function namesOf(models: readonly { readonly model: string; readonly sequences: readonly unknown[] }[]): string[] {
  return models.flatMap(({ model, sequences }) => [model, ...sequences.map(() => "")]);
}
