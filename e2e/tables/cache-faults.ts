import type { CacheFault } from "./fault.js";

const NOT_WORKING = "the model cache does not work here; the model is loaded without it (…)";

/** Every way in which the model cache can fail. The model loads and predicts in all of them. */
export const cacheFaults: readonly CacheFault[] = [
  {
    id: "quota",
    fault: "The browser's storage has no space for the model (quota exceeded).",
    code: "CACHE_FAILED",
    message: NOT_WORKING,
    advice:
      "Free storage. framebatch has already removed the least recently used models. Each load downloads the model until there is space.",
  },
  {
    id: "blocked",
    fault: "Another tab blocks the cache's database.",
    code: "CACHE_FAILED",
    message:
      "the model cache does not work here; the model is loaded without it (IndexedDB did not answer within … ms)",
    advice: "Close the other tab. Until then, each load waits 2 s for the cache and then downloads the model.",
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
    fault: "The browser forbids the database, for example in some private windows and embedded frames.",
    code: "CACHE_FAILED",
    message: NOT_WORKING,
    advice: "Nothing to do. To avoid the event, set `cache: false` on such pages.",
  },
  {
    id: "damaged",
    fault: "The copy of the model in the cache is damaged, for example by a flipped bit.",
    code: "CACHE_FAILED",
    message: "the copy of the model in the cache was damaged; it is downloaded again",
    advice: "Nothing to do: framebatch replaces the copy. If the browser is offline, the load fails.",
  },
  {
    id: "foreign",
    fault: "The cache entry holds other data, written by an older version of framebatch or by another script.",
    code: null,
    message: "It is replaced.",
    advice: "Nothing to do.",
  },
  {
    id: "evicted",
    fault: "The browser, or another tab, deletes the database while the model is in use.",
    code: null,
    message: "The model goes on; the next load downloads it.",
    advice: "If this happens often, request persistent storage with navigator.storage.persist().",
  },
  {
    id: "closed-while-writing",
    fault: "The tab is closed while the cache stores the model.",
    code: null,
    message: "The model is stored whole or not at all.",
    advice: "Nothing to do.",
  },
];
