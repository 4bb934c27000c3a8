import { useComputed, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { CallerCount } from "../../controls/caller-count.js";
import { formatMs, formatNumber, formatShare } from "../../format.js";
import type { Playground } from "../../playground.js";
import { Switch } from "../../shell/switch.js";
import { keepMoving } from "./keep-moving.js";
import type { Languages } from "./languages.js";
import { NO_ROWS, ScrolledRows, widen, type RowView } from "./row-view.js";
import { TableRow } from "./table-row.js";
import type { TextTable } from "./text-table.js";

/** The table of texts, its controls, and the number of classified texts. */
export function TablePanel({ languages }: { languages: Languages }) {
  const { settings, comparing } = languages.playground;
  const table = languages.table.value;
  return (
    <section class="table-panel" aria-label="Table of texts">
      <div class="wall-controls">
        <CallerCount playground={languages.playground} label="Active rows" />
        <Switch isOn={settings.batching} isDisabled={comparing} testId="batching-switch">
          Batching
        </Switch>
      </div>
      {table === null ? (
        <p class="text-table text-table-empty">Loading the texts…</p>
      ) : (
        <Table key={languages.hasPasted.value} languages={languages} table={table} />
      )}
      <div class="wall-foot table-foot">
        <SweepButton languages={languages} />
        <Tally languages={languages} />
        <Switch isOn={settings.moving} isDisabled={comparing} testId="moving-switch">
          Keep moving
        </Switch>
      </div>
    </section>
  );
}

function Table({ languages, table }: TableProps) {
  return (
    <div
      class="text-table"
      role="table"
      aria-label="Texts and their languages"
      aria-rowcount={table.rows.length + 1}
      data-testid="text-table"
    >
      <div role="rowgroup">
        <div class="text-head" role="row" aria-rowindex={1}>
          <span role="columnheader">Row</span>
          <span role="columnheader">Text</span>
          <span role="columnheader">Language</span>
          <span role="columnheader">Sure</span>
        </div>
      </div>
      <Rows languages={languages} table={table} />
    </div>
  );
}

interface TableProps {
  readonly languages: Languages;
  readonly table: TextTable;
}

/** Renders only the visible rows, and rows around them up to the number that the visitor sets. */
function Rows({ languages, table }: TableProps) {
  const { playground } = languages;
  const box = useRef<HTMLDivElement>(null);
  const { inView, rowHeight } = useRowView(box, table.rows.length);
  useMotion(box, playground);
  const { first, last } = widen(inView, playground.settings.tiles.value, table.rows.length);
  const places = last - first;
  return (
    <div class="text-rows" role="rowgroup" aria-label="Texts" tabIndex={0} ref={box} data-testid="text-rows">
      <div role="presentation" style={`block-size: ${table.rows.length * rowHeight}px`}>
        {Array.from({ length: places }, (_, index) => first + index).map((row) => (
          <TableRow
            key={row % places}
            playground={playground}
            table={table}
            row={row}
            place={row % places}
            isInView={row >= inView.first && row < inView.last}
            top={row * rowHeight}
          />
        ))}
      </div>
    </div>
  );
}

function useRowView(box: RefObject<HTMLElement | null>, rows: number): RowView {
  const [scrolled, setScrolled] = useState<ScrolledRows | null>(null);
  useEffect(() => {
    if (box.current === null) return undefined;
    const next = new ScrolledRows(box.current, rows);
    setScrolled(next);
    return () => next.dispose();
  }, [box, rows]);
  return scrolled?.view.value ?? NO_ROWS;
}

function useMotion(box: RefObject<HTMLElement | null>, { settings, comparing }: Playground): void {
  useSignalEffect(() => {
    const isMoving = settings.moving.value && !comparing.value;
    return isMoving && box.current !== null ? keepMoving(box.current) : undefined;
  });
}

/** The number of classified texts, and the duration of the last complete run. */
function Tally({ languages }: { languages: Languages }) {
  const text = useComputed(() => {
    const table = languages.table.value;
    if (languages.playground.comparing.value) return "The table pauses during the comparison.";
    if (table === null) return "";
    const read = `${formatNumber(table.answered.value)} of ${formatNumber(table.classifiable)} texts classified`;
    if (table.judged.value === 0) return read;
    return `${read}, ${formatShare(table.right.value / table.judged.value)} of them correctly`;
  });
  const pace = useComputed(() => {
    const result = languages.sweep.result.value;
    if (result === null) return "";
    const { texts, ms } = result;
    return `${formatNumber(texts)} in ${formatMs(ms)}, ${formatNumber((1000 * texts) / ms)} per second`;
  });
  return (
    <div class="tally">
      <p data-testid="tally">{text}</p>
      <p role="status" data-testid="sweep-result">
        {pace}
      </p>
    </div>
  );
}

function SweepButton({ languages: { sweep, playground } }: { languages: Languages }) {
  const isDisabled = useComputed(
    () => sweep.isRunning.value || playground.comparing.value || playground.model.value === null,
  );
  const label = useComputed(() => (sweep.isRunning.value ? "Classifying…" : "Classify all"));
  return (
    <button
      type="button"
      class="button"
      data-testid="read-all"
      disabled={isDisabled}
      onClick={() => void sweep.start()}
    >
      {label}
    </button>
  );
}
