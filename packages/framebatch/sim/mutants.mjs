// Planted bugs. `npm run sim -- --mutants` puts each into a copy of the core, never into what ships, and shows that the
// invariants of sim/fuzz catch it, or else what `--lengths` asks for. `search` must occur exactly once in the file, so that a bug cannot quietly go missing.

/** @type {readonly import("./mutants.mjs").Mutant[]} */
export const MUTANTS = [
  {
    name: "results are handed out in reverse",
    file: "batch-runner.ts",
    search: "results[index]!",
    replace: "results[run.rows.length - 1 - index]!",
  },
  {
    name: "an answer of the wrong length is taken",
    file: "batch-runner.ts",
    search: "return expected === got ? null :",
    replace: "return expected !== -1 ? null :",
  },
  {
    name: "one bad item fails its whole batch",
    file: "batch-runner.ts",
    search: "if (!divisible) return",
    replace: "if (divisible || !divisible) return",
  },
  {
    name: "padding goes down instead of up",
    file: "batch-runner.ts",
    search: "find((size) => size >= rows.length)",
    replace: "find((size) => size <= rows.length)",
  },
  {
    name: "the search for a culprit drops an item",
    file: "bisection.ts",
    search: "this.#suspects.slice(this.#testing.length)",
    replace: "this.#suspects.slice(this.#testing.length + 1)",
  },
  {
    name: "a request can settle twice",
    file: "settlement.ts",
    search: 'reason: unknown): void {\n    if (request.state === "settled") return;',
    replace: "reason: unknown): void {",
  },
  {
    name: "a request that is moved to another priority stays where it was",
    file: "request-queue.ts",
    search: "if (rank === request.rank) return;",
    replace: "if (rank !== -1) return;",
  },
  {
    name: "a failed request is counted as running for ever",
    file: "settlement.ts",
    search: 'if (request.state === "running") this.#running -= 1;\n    else this.#withdraw(request);',
    replace: 'if (request.state !== "running") this.#withdraw(request);',
  },
  {
    name: "the queue holds one more than its bound",
    file: "admission.ts",
    search: "if (queued < this.#maxQueueSize) this.#full = null;",
    replace: "if (queued <= this.#maxQueueSize) this.#full = null;",
  },
  {
    name: "a newer request does not replace the older one with its key",
    file: "batcher.ts",
    search: "if (older !== undefined) {",
    replace: "if (older === null) {",
  },
  {
    name: "a newer request goes to the end of the queue",
    file: "batcher.ts",
    search: "request.takePlaceOf(older);",
    replace: "",
  },
  {
    name: "aborting does nothing",
    file: "batcher.ts",
    search: 'this.#settlement.fail(request, "aborted", reason);',
    replace: "request.sink.reject(reason);",
  },
  {
    name: "a batch more than the engine should have is in flight",
    file: "dispatcher.ts",
    search: "const FLIGHTS_PER_ENGINE = 2;",
    replace: "const FLIGHTS_PER_ENGINE = 3;",
  },
  {
    name: "a pause holds nothing back",
    file: "dispatcher.ts",
    search: "const leader = this.#isPaused || runner.size",
    replace: "const leader = runner.size",
  },
  {
    name: "nobody looks at the queue when a batch has been answered",
    file: "dispatcher.ts",
    search: "else if (queue.size > 0) this.lookSoon(",
    replace: "else if (queue.size < 0) this.lookSoon(",
  },
  {
    name: "a timer stays when the queue has emptied by itself",
    file: "dispatcher.ts",
    search: "if (size === 0) this.stop();",
    replace: "",
  },
  {
    name: "a hidden tab waits for timers",
    file: "release-policy.ts",
    search: "if (situation.isHidden) return decideIdle(situation);",
    replace: "",
  },
  {
    name: "priorities do not age",
    file: "request-queue.ts",
    search: "return isOfAge ? oldest : this.#firstHead();",
    replace: "return this.#firstHead();",
  },
  {
    name: "an identical request joins a row that has left",
    file: "request-queue.ts",
    search: "this.#byContent.delete(request.contentKey);",
    replace: "",
  },
  {
    name: "the latest of equals goes first",
    file: "queued-request.ts",
    search: "a.dueMs === b.dueMs && a.sequence < b.sequence",
    replace: "a.dueMs === b.dueMs && a.sequence > b.sequence",
  },
  {
    name: "a batch is padded to its leader alone",
    file: "batch-former.ts",
    search: "    extents = together;\n",
    replace: "",
  },
  {
    name: "a batch leaves without its leader",
    file: "batch-former.ts",
    search: "  take(leader, extents);",
    replace: "  take(lanes.at(-1)?.requests.head(leader.rank) ?? leader, extents);",
  },
  {
    name: "padding costs nothing when it is decided who rides together",
    file: "look-ahead.ts",
    search: "padded(rows) * volume * msPerVolume",
    replace: "usedVolume * msPerVolume",
  },
  {
    name: "nobody rides with others than of its own size",
    file: "look-ahead.ts",
    search: "if (totalMs <= least)",
    replace: "if (start === end)",
  },
  {
    name: "the shortest ride with the leader, whatever its size",
    file: "look-ahead.ts",
    search: "stretchAround(place, lanes",
    replace: "stretchAround(0, lanes",
  },
  {
    name: "an earlier time limit does not bring the timer forward",
    file: "timeouts.ts",
    search: "if (this.#timer !== null && this.#timer.atMs === next?.timeoutAtMs) return;",
    replace: "if (this.#timer !== null && next !== undefined) return;",
  },
];
