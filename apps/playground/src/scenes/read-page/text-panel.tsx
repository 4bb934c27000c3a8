import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { formatMs, formatNumber } from "../../format.js";
import { CopyButton } from "../../shell/copy-button.js";
import type { ReadPage } from "./read-page.js";
import type { Reading, ShownLine } from "./reading.js";

/** Below this confidence, a line counts as uncertain. */
const CONFIDENT = 0.8;

/** The lines of the page as text, in reading order. */
export function TextPanel({ scene }: { scene: ReadPage }) {
  const reading = scene.reading.value;
  return (
    <section class="card page-text" aria-labelledby="page-text-heading">
      <div class="card-head">
        <h2 id="page-text-heading">Text</h2>
        <CopyButton
          label="Copy all"
          text={() => reading?.text() ?? ""}
          testId="copy-text"
          isDisabled={reading === null || reading.readCount.value === 0}
        />
      </div>
      <p class="page-status" role="status" data-testid="page-status">
        {statusOf(scene, reading)}
      </p>
      {reading === null ? null : <Lines scene={scene} reading={reading} />}
    </section>
  );
}

function Lines({ scene, reading }: { scene: ReadPage; reading: Reading }) {
  return (
    <ol class="page-lines" tabIndex={0} aria-label="Lines" data-testid="page-lines">
      {reading.lines.value?.map((line) => (
        <Line key={line.index} scene={scene} line={line} />
      ))}
    </ol>
  );
}

function Line({ scene: { selected }, line: { index, read } }: { scene: ReadPage; line: ShownLine }) {
  const item = useRef<HTMLLIElement>(null);
  const isSelected = selected.value === index;
  useSignalEffect(() => {
    if (selected.value === index && item.current !== null) showInList(item.current);
  });
  return (
    <li
      ref={item}
      class="page-line"
      data-selected={isSelected}
      data-state={read.value === null ? "waiting" : read.value.confidence < CONFIDENT ? "unsure" : "read"}
      onPointerEnter={() => (selected.value = index)}
      onPointerLeave={() => (selected.value = null)}
    >
      {read.value?.text ?? "…"}
    </li>
  );
}

/** Scrolls the list of a line, and not the page, until the line is in view. */
function showInList(item: HTMLLIElement): void {
  const list = item.parentElement;
  if (list === null) return;
  const [line, view] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  list.scrollTop += Math.min(0, line.top - view.top) + Math.max(0, line.bottom - view.bottom);
}

/** Says how far a reading is, or how long it took. */
function statusOf(scene: ReadPage, reading: Reading | null): string {
  if (reading === null) return scene.isWaiting.value ? "Loading the models…" : "The text appears here as it is read.";
  const lines = reading.lines.value?.length ?? null;
  const { firstLineMs, doneMs } = reading.times.value;
  if (lines === null) return "Finding the lines…";
  if (doneMs === null) return `Reading ${formatNumber(lines)} lines…`;
  if (firstLineMs === null) return "There is no text in this picture.";
  const rate = formatNumber((1000 * lines) / doneMs);
  return `${formatNumber(lines)} lines in ${formatMs(doneMs)}, ${rate} per second. The first one after ${formatMs(firstLineMs)}.`;
}
