import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { KeptColumn } from "../../transport/kept-columns.js";
import type { RowsRequest } from "../../transport/protocol.js";
import { byName, KeptRow } from "./kept-row.js";
import type { KeptClient } from "./kept-tensor.js";
import type { KeptSizes } from "./kept-sizes.js";
import type { KeptTensors } from "./kept-tensors.js";

/** One attempt at a batch with rows that read or keep tensors. What it keeps has numbers of its own. */
export class KeptAttempt {
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
   * Reserves room for what a row keeps. Without room, a row that only links keep gives its outputs to the page, and another one
   * is refused. Returns whether it is sent.
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
      reads: columns(rows, inputsRead, idRead),
      keeps: columns(rows, keptOutputs, (row, name) => this.#ids.get(row)?.[name] ?? null),
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
function columns(
  rows: readonly PreparedItem[],
  namesOf: (row: PreparedItem) => readonly string[],
  idOf: (row: PreparedItem, name: string) => number | null,
): KeptColumn[] {
  const names = new Set(rows.flatMap(namesOf));
  return [...names].map((name) => ({ name, ids: rows.map((row) => idOf(row, name)) }));
}

function inputsRead(row: PreparedItem): readonly string[] {
  return readsOf(row).map(({ input }) => input);
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
