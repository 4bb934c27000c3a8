import type { CacheFault } from "./fault.js";

const NOT_WORKING = "the model cache does not work here; the model is loaded without it (…)";

/** Everything that can be wrong with the cache. The model loads and predicts in each of them. */
export const cacheFaults: readonly CacheFault[] = [
  {
    id: "quota",
    fault: "The browser has no room for the model (quota exceeded).",
    code: "CACHE_FAILED",
    message: NOT_WORKING,
    advice: "Models that were used longest ago have been removed already. The model is downloaded each time.",
  },
  {
    id: "blocked",
    fault: "Another tab blocks the database.",
    code: "CACHE_FAILED",
    message:
      "the model cache does not work here; the model is loaded without it (IndexedDB did not answer within … ms)",
    advice: "After 2 s the model is downloaded. It works again once the other tab is closed.",
  },
  {
    id: "closed-connection",
    fault: "The browser closes the connection to the database by itself.",
    code: null,
    message: "It is opened again.",
    advice: "Nothing to do.",
  },
  {
    id: "no-store",
    fault: "The database is there without what belongs in it.",
    code: null,
    message: "It is set up anew.",
    advice: "Nothing to do.",
  },
  {
    id: "forbidden",
    fault: "The browser forbids the database, as in some private windows and embedded frames.",
    code: "CACHE_FAILED",
    message: NOT_WORKING,
    advice: "Set `cache: false` for such pages if the event disturbs.",
  },
  {
    id: "damaged",
    fault: "The stored model is damaged: a bit has flipped.",
    code: "CACHE_FAILED",
    message: "the copy of the model in the cache was damaged; it is downloaded again",
    advice: "Nothing to do: the copy is replaced. Offline, the load fails.",
  },
  {
    id: "foreign",
    fault: "Something else lies in the place of the model: of an older version, or put there by another script.",
    code: null,
    message: "It is replaced.",
    advice: "Nothing to do.",
  },
  {
    id: "evicted",
    fault: "The browser, or another tab, deletes the database while the model is in use.",
    code: null,
    message: "The model goes on; the next load downloads it.",
    advice: "Ask for persistent storage (navigator.storage.persist) if that happens often.",
  },
  {
    id: "closed-while-writing",
    fault: "The tab is closed while the model is being stored.",
    code: null,
    message: "The model is stored whole or not at all.",
    advice: "Nothing to do.",
  },
];
