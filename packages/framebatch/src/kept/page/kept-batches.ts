import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { keptTensorLost } from "@framebatch/rows/tensor/kept-tensor-lost.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import { isHere, type RowBatches, type RowClient } from "../../client/engine/row-batches.js";
import type { PreparedBatch } from "../../client/engine/model-engine.js";
import type { PendingRun, RunResult } from "../../client/workers/pending-runs.js";
import type { WorkerClient } from "../../client/workers/worker-client.js";
import { KeptRow, byName } from "./kept-row.js";
import { type KeptTensors, type KeptClient, bytesIn, type KeptTensor } from "./kept-tensors.js";
import type { KeptColumn } from "../kept-messages.js";
import type { RowsRequest } from "../../transport/protocol.js";

/** The part of a worker that runs rows and keeps tensors. */
type KeepingClient = RowClient & Pick<WorkerClient, "hasEnded" | "notify">;

/** A batch that is ready to be sent to a worker that keeps tensors. */
export interface PreparedKept extends PreparedBatch<Outputs> {
  readonly runOn: (client: KeepingClient, run: PendingRun) => Promise<RunResult>;
}

/** Whether an attempt at a batch sends a row: not if a tensor that it reads is lost. */
export function isSent(row: PreparedItem): boolean {
  return isHere(row) && (!(row instanceof KeptRow) || row.isSent);
}

/** Hands batches with rows that read or keep tensors to workers. */
export class KeptBatches {
  readonly #rows: RowBatches;
  readonly #tensors: KeptTensors;
  readonly #sizes: KeptSizes;

  /** @param rows sends the rows for which `isSent` says so */
  constructor(rows: RowBatches, tensors: KeptTensors, signature: Pick<ModelSignature, "outputs">) {
    this.#rows = rows;
    this.#tensors = tensors;
    this.#sizes = new KeptSizes(signature);
  }

  prepare(batch: Batch<PreparedItem>): PreparedKept {
    const { items } = batch;
    const prepared = this.#rows.prepare(batch);
    const rows = items.filter((item) => item instanceof KeptRow);
    if (rows.length === 0) return prepared;
    let answered: KeptAttempt | null = null;
    return {
      // The same numbers would be kept in two workers.
      mayRepeat: false,
      runOn: (client, run) => {
        const attempt = new KeptAttempt(this.#tensors, this.#sizes, client);
        for (const row of rows) row.isSent = row.isReadable && attempt.reserve(row);
        const send = async () => {
          try {
            const result = await prepared.runOn(withKeptColumns(attempt, items, client), run);
            if (result.ok) answered = attempt;
            return result;
          } finally {
            attempt.unreserve();
          }
        };
        return rows.reduce((inner, row) => () => row.during(inner), send)();
      },
      resultsOf: (reply) => {
        const results = prepared.resultsOf(reply);
        for (const [index, item] of items.entries()) answered?.note(item, results[index]!);
        return results.map((result, index) => lossOf(items[index]!) ?? result);
      },
    };
  }
}

/** Returns a client that sends, with the rows, which tensors they read and which outputs they keep. */
function withKeptColumns(attempt: KeptAttempt, items: readonly PreparedItem[], client: RowClient): RowClient {
  return {
    run: (request, ...others) => {
      if (!("rows" in request)) return client.run(request, ...others);
      // Only now it is certain which rows are sent: others may have come back from the worker of an earlier attempt.
      const columns = attempt.columnsOf(items.filter(isSent), request.rows.count);
      return client.run({ ...request, ...columns }, ...others);
    },
  };
}

function lossOf(item: PreparedItem): Error | null {
  if (item instanceof KeptRow && item.refusal !== null) return item.refusal;
  const input = item instanceof KeptRow && !item.isSent ? item.lostInput : null;
  return input === null ? null : keptTensorLost(input);
}

/** One attempt at a batch with rows that read or keep tensors. What it keeps has numbers of its own. */
class KeptAttempt {
  readonly #tensors: KeptTensors;
  readonly #client: KeptClient;
  readonly #sizes: KeptSizes;
  readonly #ids = new Map<PreparedItem, Readonly<Record<string, number>>>();
  #reservedBytes = 0;

  constructor(tensors: KeptTensors, sizes: KeptSizes, client: KeptClient) {
    this.#tensors = tensors;
    this.#sizes = sizes;
    this.#client = client;
  }

  /**
   * Reserves room for what a row keeps. Without room, a row that only links keep gives its outputs to the page, and
   * another one is refused. Returns whether it is sent.
   */
  reserve(row: KeptRow): boolean {
    row.refusal = null;
    if (row.keeps === null) return true;
    const bytes = this.#sizes.of(row.keeps.outputs);
    if (this.#tensors.reserve(bytes)) {
      this.#reservedBytes += bytes;
      return true;
    }
    if (row.keeps.needsOthers) row.refusal = this.#tensors.noRoom();
    else row.keeps = null;
    return row.refusal === null;
  }

  /** Called when the run has ended: what it has kept counts from then on. */
  unreserve(): void {
    this.#tensors.unreserve(this.#reservedBytes);
    this.#reservedBytes = 0;
  }

  /** Returns what the worker has to know of the rows. @param count number of rows that are sent, which must be these */
  columnsOf(rows: readonly PreparedItem[], count: number): Pick<RowsRequest, "reads" | "keeps" | "wants"> {
    if (rows.length !== count) throw new RangeError(`expected ${count} rows, got ${rows.length}`);
    for (const row of rows) {
      const outputs = keptOutputs(row);
      if (outputs.length > 0)
        this.#ids.set(
          row,
          byName(outputs, () => this.#tensors.nextId()),
        );
    }
    const wants = wantedBy(rows);
    return {
      reads: columnsBy(rows, (row) => readsOf(row).map(({ input }) => input), idRead),
      keeps: columnsBy(rows, keptOutputs, (row, name) => this.#ids.get(row)?.[name] ?? null),
      ...(wants !== null && { wants }),
    };
  }

  /** Gives a row what its run has kept. @param result its outputs, of which those that were kept have no elements */
  note(row: PreparedItem, result: Outputs | Error): void {
    const ids = this.#ids.get(row);
    if (!(row instanceof KeptRow) || ids === undefined || result instanceof Error) return;
    const kept = byName(Object.keys(ids), (name) => this.#tensors.add(ids[name]!, result[name]!, this.#client));
    for (const [name, tensor] of Object.entries(kept)) this.#sizes.saw(name, tensor);
    row.came(kept);
  }
}

/** Returns a column for each name. */
function columnsBy(
  rows: readonly PreparedItem[],
  namesOf: (row: PreparedItem) => readonly string[],
  idOf: (row: PreparedItem, name: string) => number | null,
): KeptColumn[] {
  const names = new Set(rows.flatMap(namesOf));
  return [...names].map((name) => ({ name, ids: rows.map((row) => idOf(row, name)) }));
}

function idRead(row: PreparedItem, name: string): number | null {
  return readsOf(row).find(({ input }) => input === name)?.tensor.id ?? null;
}

function readsOf(row: PreparedItem): KeptRow["reads"] {
  return row instanceof KeptRow ? row.reads : [];
}

function keptOutputs(row: PreparedItem): readonly string[] {
  return row instanceof KeptRow ? (row.keeps?.outputs ?? []) : [];
}

/** Returns the outputs that rows need; `null` for all. */
function wantedBy(rows: readonly PreparedItem[]): string[] | null {
  const names = new Set<string>();
  for (const row of rows) {
    if (!(row instanceof KeptRow) || row.keeps === null || row.keeps.needsOthers) return null;
    for (const name of row.keeps.outputs) names.add(name);
  }
  return [...names];
}

/** How large the outputs of one row are. */
class KeptSizes {
  /** By the name of an output: as its dims say, or as it was last. */
  readonly #bytes = new Map<string, number>();

  constructor({ outputs }: Pick<ModelSignature, "outputs">) {
    for (const { name, type, dims, batchAxis } of outputs) {
      const own = dims.filter((_, axis) => axis !== batchAxis);
      if (!own.includes(null)) this.#bytes.set(name, bytesIn({ type, dims: own.map(Number) }));
    }
  }

  /** Returns the size of these outputs together, in bytes. One of free dims that was never seen counts as nothing. */
  of(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.#bytes.get(name) ?? 0), 0);
  }

  saw(name: string, { bytes }: KeptTensor): void {
    this.#bytes.set(name, bytes);
  }
}
