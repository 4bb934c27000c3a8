import { FramebatchError } from "../errors/errors.js";
import { bucketBounds } from "./statistics.js";
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

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [value: number, labels?: Labels];
/** Returns a function that adds a sample to a metric. */
type AddMetric = (name: string, type: string, help: string) => (suffix: string, sample: string) => void;

const OWN_LABELS: readonly string[] = ["outcome", "reason", "le"];
const MS_PER_SECOND = 1000;

/**
 * Bounds of the histograms, each about twice the one before. They are the same for every model, and empty buckets are
 * written too, because a sum over several models, such as `sum by (le)`, is correct only if all of them have every
 * bucket.
 */
const SIZE_BOUNDS = /* @__PURE__ */ bucketBounds(1, 4096);
const MS_BOUNDS = /* @__PURE__ */ bucketBounds(0.01, 100_000);

/** The statistics of several models, by name. */
export interface StatsOfModels {
  readonly models: Readonly<Record<string, BatcherStats>>;
}

/**
 * Returns statistics in Prometheus's text format (version 0.0.4), for a scrape endpoint or a push gateway. Times are in
 * seconds, as is usual in Prometheus. After `resetStats()`, counters restart at 0, which Prometheus handles as a
 * process restart.
 *
 * @param stats those of a model or a `batched` function, or those of a hub: every sample then has the label `model`
 * @throws INVALID_OPTION when a prefix or label is not valid in Prometheus.
 * @example
 * ```ts
 * const text = toPrometheusText(model.stats(), { labels: { model: "resnet" } });
 * ```
 */
export function toPrometheusText(stats: BatcherStats | StatsOfModels, options: PrometheusOptions = {}): string {
  const prefix = options.prefix ?? "framebatch";
  const text = new MetricsText(prefix);
  if (!("models" in stats)) write(text, stats, checkedLabels(options.labels));
  else
    for (const [model, own] of Object.entries(stats.models))
      write(text, own, checkedLabels({ ...options.labels, model }));
  return text.toString();
}

function write(text: MetricsText, stats: BatcherStats, labels: Labels): void {
  const { requests, batches } = stats;
  const to = text.withLabels(labels);
  to.add("requests_total", "counter", "Requests that ended, by outcome.", outcomesOf(requests));
  to.add("requests_deduplicated_total", "counter", "Requests that shared the row of an identical one.", [
    [requests.deduplicated],
  ]);
  to.add("cache_hits_total", "counter", "Requests answered from the result cache.", [[requests.cacheHits]]);
  to.add("batches_total", "counter", "Dispatched batches, by release reason.", reasonsOf(batches.byReason));
  to.add("batches_failed_total", "counter", "Batches that failed.", [[batches.failed]]);
  to.addHistogram("batch_size", "Requests per batch.", stats.batchSize, SIZE_BOUNDS, 1);
  to.addHistogram("queue_seconds", "Time from the call to the dispatch.", stats.queueMs, MS_BOUNDS, MS_PER_SECOND);
  to.addHistogram("run_seconds", "Time of a batch on the engine.", stats.runMs, MS_BOUNDS, MS_PER_SECOND);
  to.addHistogram("total_seconds", "Time from the call to the result.", stats.totalMs, MS_BOUNDS, MS_PER_SECOND);
  to.add("queue_length", "gauge", "Queued requests.", [[requests.queued]]);
  to.add("requests_in_flight", "gauge", "Requests in flight.", [[requests.inFlight]]);
  to.add("batches_in_flight", "gauge", "Batches in flight.", [[batches.inFlight]]);
  to.add("busy_ratio", "gauge", "Share of the time in which the engine had work.", [[stats.busyShare]]);
  to.add("padding_waste_ratio", "gauge", "Share of the computed volume that was padding.", [[stats.paddingWaste]]);
  to.add("target_batch_size", "gauge", "Batch size with the best rate.", [[stats.cost.targetSize]]);
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

/** The text of all metrics. The samples of one metric follow its head, as the format demands. */
class MetricsText {
  readonly #prefix: string;
  readonly #lines = new Map<string, string[]>();

  constructor(prefix: string) {
    checkName("prefix", prefix, /^[a-zA-Z_:][a-zA-Z0-9_:]*$/, "letters, digits, _ and :, no digit in front");
    this.#prefix = prefix;
  }

  withLabels(labels: Labels): LabelledMetrics {
    return new LabelledMetrics((name, type, help) => this.#metric(`${this.#prefix}_${name}`, type, help), labels);
  }

  toString(): string {
    return [...this.#lines.values()].flatMap((lines) => lines.map((line) => `${line}\n`)).join("");
  }

  /** Returns a function that adds a sample to a metric. */
  #metric(name: string, type: string, help: string): ReturnType<AddMetric> {
    let lines = this.#lines.get(name);
    if (lines === undefined) this.#lines.set(name, (lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]));
    return (suffix, sample) => lines.push(`${name}${suffix}${sample}`);
  }
}

/** Writes the metrics of one set of statistics. */
class LabelledMetrics {
  readonly #metric: AddMetric;
  readonly #labels: Labels;

  constructor(metric: AddMetric, labels: Labels) {
    this.#metric = metric;
    this.#labels = labels;
  }

  add(name: string, type: "counter" | "gauge", help: string, samples: readonly Sample[]): void {
    const sample = this.#metric(name, type, help);
    for (const [value, labels] of samples) sample("", this.#text(value, labels));
  }

  /** @param unit number of the distribution's units in one of the metric's units */
  addHistogram(name: string, help: string, values: Distribution, bounds: readonly number[], unit: number): void {
    const { count, sum, buckets } = values;
    const sample = this.#metric(name, "histogram", help);
    for (const bound of bounds) {
      const upTo = buckets.findLast(({ le }) => le <= bound)?.count ?? 0;
      sample("_bucket", this.#text(upTo, { le: legible(bound / unit) }));
    }
    sample("_bucket", this.#text(count, { le: "+Inf" }));
    sample("_sum", this.#text(sum / unit));
    sample("_count", this.#text(count));
  }

  #text(value: number, labels: Labels = {}): string {
    const all = Object.entries({ ...this.#labels, ...labels }).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${all.length === 0 ? "" : `{${all.join(",")}}`} ${value}`;
  }
}

/** Checks the user's labels. @throws INVALID_OPTION */
function checkedLabels(labels: Labels = {}): Labels {
  for (const [name, value] of Object.entries(labels)) {
    checkName("labels", name, /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/, "letters, digits and _, no digit or __ in front");
    if (typeof value !== "string") throw prometheusError(`labels.${name}`, "a string", String(value));
    if (OWN_LABELS.includes(name)) throw prometheusError("labels", `a name other than ${OWN_LABELS.join(", ")}`, name);
  }
  return labels;
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
