import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Outputs } from "../../core/tensor/tensor.js";
import type { KeptColumn } from "../../transport/kept-tensors.js";
import type { RowsRequest } from "../../transport/protocol.js";
import { byName, KeptRow } from "./kept-row.js";
import type { KeptClient } from "./kept-tensor.js";
import type { KeptTensors } from "./kept-tensors.js";

/** One attempt at a batch with rows that read or keep tensors. What it keeps has numbers of its own. */
export class KeptAttempt {
  readonly #rows: readonly PreparedItem[];
  readonly #tensors: KeptTensors;
  readonly #client: KeptClient;
  readonly #ids = new Map<PreparedItem, Readonly<Record<string, number>>>();

  /** @param rows the rows that it sends */
  constructor(rows: readonly PreparedItem[], tensors: KeptTensors, client: KeptClient) {
    this.#rows = rows;
    this.#tensors = tensors;
    this.#client = client;
  }

  /** Returns what the worker has to know of the rows. */
  columns(): Pick<RowsRequest, "reads" | "keeps" | "wants"> {
    for (const row of this.#rows) {
      const outputs = keptOutputs(row);
      if (outputs.length > 0)
        this.#ids.set(
          row,
          byName(outputs, () => this.#tensors.nextId()),
        );
    }
    const wants = wantedBy(this.#rows);
    return { reads: this.#reads(), keeps: this.#keeps(), ...(wants !== null && { wants }) };
  }

  #reads(): KeptColumn[] {
    return this.#columnsOf(
      (row) => readsOf(row).map(({ input }) => input),
      (row, name) => readsOf(row).find(({ input }) => input === name)?.tensor.id ?? null,
    );
  }

  #keeps(): KeptColumn[] {
    return this.#columnsOf(keptOutputs, (row, name) => this.#ids.get(row)?.[name] ?? null);
  }

  #columnsOf(
    namesOf: (row: PreparedItem) => readonly string[],
    idOf: (row: PreparedItem, name: string) => number | null,
  ): KeptColumn[] {
    const names = new Set(this.#rows.flatMap(namesOf));
    return [...names].map((name) => ({ name, ids: this.#rows.map((row) => idOf(row, name)) }));
  }

  /** Gives a row what its run has kept. @param result its outputs, of which those that were kept have no elements */
  note(row: PreparedItem, result: Outputs | Error): void {
    const ids = this.#ids.get(row);
    if (!(row instanceof KeptRow) || ids === undefined || result instanceof Error) return;
    row.came(byName(Object.keys(ids), (name) => this.#tensors.add(ids[name]!, result[name]!, this.#client)));
  }
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
