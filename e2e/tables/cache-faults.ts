import type { CacheFault } from "./fault.js";

const NOT_WORKING = "the model cache does not work here; the model is loaded without it (…)";

/** Every way in which the model cache can fail. The model loads and predicts in all of them. */
export const cacheFaults: readonly CacheFault[] = [
  {
    id: "quota",
    fault: "The storage has no space for the model.",
    code: "CACHE_FAILED",
    message: NOT_WORKING,
    advice: "Free storage; the least recently used models are already gone.",
  },
  {
    id: "blocked",
    fault: "Another tab blocks the cache's database.",
    code: "CACHE_FAILED",
    message:
      "the model cache does not work here; the model is loaded without it (IndexedDB did not answer within … ms)",
    advice: "Close the other tab. Until then, each load waits 2 s.",
  },
  {
    id: "closed-connection",
    fault: "The browser closes the connection to the database.",
    code: null,
    message: "It is opened again.",
    advice: "Nothing to do.",
  },
  {
    id: "no-store",
    fault: "The database exists, but its object store is missing.",
    code: null,
    message: "It is set up anew.",
    advice: "Nothing to do.",
  },
  {
    id: "forbidden",
    fault: "The browser forbids the database, as in some private windows and frames.",
    code: "CACHE_FAILED",
    message: NOT_WORKING,
    advice: "To avoid the event: `cache: false`.",
  },
  {
    id: "damaged",
    fault: "The copy in the cache is damaged.",
    code: "CACHE_FAILED",
    message: "the copy of the model in the cache was damaged; it is downloaded again",
    advice: "Nothing to do: it is replaced. Offline, the load fails.",
  },
  {
    id: "foreign",
    fault: "The entry holds other data.",
    code: null,
    message: "It is replaced.",
    advice: "Nothing to do.",
  },
  {
    id: "evicted",
    fault: "The database is deleted while the model is in use.",
    code: null,
    message: "The next load downloads it.",
    advice: "If it happens often: `navigator.storage.persist()`.",
  },
  {
    id: "closed-while-writing",
    fault: "The tab is closed while the cache stores the model.",
    code: null,
    message: "The model is stored whole or not at all.",
    advice: "Nothing to do.",
  },
];
