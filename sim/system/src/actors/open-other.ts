import type { Page } from "../browser/page.js";
import { openEngine } from "./engines.js";
import { openGroup } from "./groups.js";
import { openHandled } from "./handled.js";
import { openHub } from "./hubs.js";
import type { OtherSubject } from "../scenario/kinds.js";
import { openPipeline } from "./pipelines.js";
import { openSequences } from "./sequences.js";
import { openHybrid, openRemote } from "./servers.js";
import { openTexts } from "./texts.js";
import type { Callable } from "./callable.js";

/** The event of a model that changes its state. */
export interface StateChange {
  readonly detail: { readonly state: string; readonly error: Error | null };
}

/** Opens what is neither a model of tensors nor a function, within a task of its page. */
export async function openOther(
  subject: OtherSubject,
  index: number,
  page: Page,
  onState: (change: StateChange) => void,
): Promise<Callable> {
  switch (subject.kind) {
    case "remote":
      return openRemote(subject, index, page);
    case "hybrid":
      return openHybrid(subject, index, page);
    case "pipeline":
      return openPipeline(subject, page);
    case "hub":
      return openHub(subject, page);
    case "handled":
      return openHandled(subject, page, onState);
    case "engine":
      return openEngine(subject, page, onState);
    case "sequences":
      return openSequences(subject, page, onState);
    case "texts":
      return openTexts(subject, page, onState);
    case "group":
      return openGroup(subject, page, onState);
  }
}
