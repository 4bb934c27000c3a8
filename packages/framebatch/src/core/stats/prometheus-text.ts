import { FramebatchError } from "../errors.js";
import { bucketBounds } from "./log-histogram.js";
import type { BatcherStats, Distribution } from "./stats.js";

/** Options of `toPrometheusText`. */
export interface PrometheusOptions {
  /** Prefix of every metric name: letters, digits, `_` and `:`, not starting with a digit. @default "framebatch" */
  readonly prefix?: string;
  /**
   * Labels of every sample, for example to tell several models apart. Must not include `outcome`, `reason` or `le`.
   * @default none
   */
  readonly labels?: Readonly<Record<string, string>>;
}

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

const OWN_LABELS: readonly string[] = ["outcome", "reason", "le"];
const MS_PER_SECOND = 1000;

/**
 * Bounds of the histograms, each about twice the one before. They are the same for every model, and empty buckets are
 * written too, because a sum over several models, such as `sum by (le)`, is correct only if all of them have every
 * bucket.
 */
const SIZE_BOUNDS = /* @__PURE__ */ bucketBounds(1, 4096);
const MS_BOUNDS = /* @__PURE__ */ bucketBounds(0.01, 100_000);

/**
 * Returns statistics in Prometheus's text format (version 0.0.4), for a scrape endpoint or a push gateway. Times are in
 * seconds, as is usual in Prometheus. After `resetStats()`, counters restart at 0, which Prometheus handles as a
 * process restart.
 *
 * @throws INVALID_OPTION when a prefix or label is not valid in Prometheus.
 * @example
 * ```ts
 * const text = toPrometheusText(model.stats(), { labels: { model: "resnet" } });
 * ```
 */
export function toPrometheusText(stats: BatcherStats, options: PrometheusOptions = {}): string {
  const { requests, batches } = stats;
  const text = new MetricsText(options.prefix ?? "framebatch", options.labels ?? {});
  text.add("requests_total", "counter", "Requests that ended, by outcome.", outcomesOf(requests));
  text.add("requests_deduplicated_total", "counter", "Requests that shared the row of an identical one.", [
    [requests.deduplicated],
  ]);
  text.add("cache_hits_total", "counter", "Requests answered from the result cache.", [[requests.cacheHits]]);
  text.add("batches_total", "counter", "Dispatched batches, by release reason.", reasonsOf(batches.byReason));
  text.add("batches_failed_total", "counter", "Batches that failed.", [[batches.failed]]);
  text.addHistogram("batch_size", "Requests per batch.", stats.batchSize, SIZE_BOUNDS, 1);
  text.addHistogram("queue_seconds", "Time from the call to the dispatch.", stats.queueMs, MS_BOUNDS, MS_PER_SECOND);
  text.addHistogram("run_seconds", "Time of a batch on the engine.", stats.runMs, MS_BOUNDS, MS_PER_SECOND);
  text.addHistogram("total_seconds", "Time from the call to the result.", stats.totalMs, MS_BOUNDS, MS_PER_SECOND);
  text.add("queue_length", "gauge", "Queued requests.", [[requests.queued]]);
  text.add("requests_in_flight", "gauge", "Requests in flight.", [[requests.inFlight]]);
  text.add("batches_in_flight", "gauge", "Batches in flight.", [[batches.inFlight]]);
  text.add("busy_ratio", "gauge", "Share of the time in which the engine had work.", [[stats.busyShare]]);
  text.add("padding_waste_ratio", "gauge", "Share of the computed volume that was padding.", [[stats.paddingWaste]]);
  text.add("target_batch_size", "gauge", "Batch size with the best rate.", [[stats.cost.targetSize]]);
  return text.toString();
}

function outcomesOf(requests: BatcherStats["requests"]): Sample[] {
  return [
    [requests.completed, { outcome: "completed" }],
    [requests.failed, { outcome: "failed" }],
    [requests.aborted, { outcome: "aborted" }],
    [requests.timedOut, { outcome: "timed_out" }],
    [requests.superseded, { outcome: "superseded" }],
    [requests.shed, { outcome: "shed" }],
    [requests.disposed, { outcome: "disposed" }],
    [requests.refused.queueFull, { outcome: "refused_queue_full" }],
    [requests.refused.latency, { outcome: "refused_latency" }],
  ];
}

function reasonsOf(byReason: BatcherStats["batches"]["byReason"]): Sample[] {
  return Object.entries(byReason).map(([reason, count]): Sample => [count, { reason }]);
}

/** Collects metrics as lines of text. */
class MetricsText {
  readonly #prefix: string;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #lines: string[] = [];

  constructor(prefix: string, labels: Readonly<Record<string, string>>) {
    checkName("prefix", prefix, /^[a-zA-Z_:][a-zA-Z0-9_:]*$/, "letters, digits, _ and :, no digit in front");
    for (const [name, value] of Object.entries(labels)) {
      checkName("labels", name, /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/, "letters, digits and _, no digit or __ in front");
      if (typeof value !== "string") throw prometheusError(`labels.${name}`, "a string", String(value));
      if (OWN_LABELS.includes(name))
        throw prometheusError("labels", `a name other than ${OWN_LABELS.join(", ")}`, name);
    }
    this.#prefix = prefix;
    this.#labels = labels;
  }

  add(name: string, type: "counter" | "gauge", help: string, samples: readonly Sample[]): void {
    this.#head(name, type, help);
    for (const [value, labels] of samples) this.#sample(name, value, labels);
  }

  /** @param unit number of the distribution's units in one of the metric's units */
  addHistogram(name: string, help: string, values: Distribution, bounds: readonly number[], unit: number): void {
    const { count, sum, buckets } = values;
    this.#head(name, "histogram", help);
    for (const bound of bounds) {
      const upTo = buckets.findLast(({ le }) => le <= bound)?.count ?? 0;
      this.#sample(`${name}_bucket`, upTo, { le: legible(bound / unit) });
    }
    this.#sample(`${name}_bucket`, count, { le: "+Inf" });
    this.#sample(`${name}_sum`, sum / unit);
    this.#sample(`${name}_count`, count);
  }

  toString(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }

  #head(name: string, type: string, help: string): void {
    this.#lines.push(`# HELP ${this.#prefix}_${name} ${help}`, `# TYPE ${this.#prefix}_${name} ${type}`);
  }

  #sample(name: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    const all = Object.entries({ ...this.#labels, ...labels }).map(([label, text]) => `${label}="${escaped(text)}"`);
    this.#lines.push(`${this.#prefix}_${name}${all.length === 0 ? "" : `{${all.join(",")}}`} ${value}`);
  }
}

/** Bounds have four digits. Division must not add more. */
function legible(bound: number): string {
  return String(Number(bound.toPrecision(4)));
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function checkName(option: string, name: string, pattern: RegExp, expected: string): void {
  if (!pattern.test(name)) throw prometheusError(option, expected, name);
}

function prometheusError(option: string, expected: string, got: string): FramebatchError {
  const message = `${option}: expected ${expected}, got "${got}"; Prometheus accepts no other`;
  return new FramebatchError("INVALID_OPTION", message, { details: { option } });
}
