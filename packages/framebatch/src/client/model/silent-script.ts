import type { ExplainSilence } from "../workers/worker-site.js";
import { loadLater } from "./load-later.js";

/** Does what `whyNeverAnswers` does, whose code loads first: few workers are silent. */
export const explainSilence: ExplainSilence = async (script, fix) => (await loadLater()).whyNeverAnswers(script, fix);
