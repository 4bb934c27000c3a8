import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import {
  buffersIn,
  isPacked,
  isTyped,
  ownsBuffer,
  type SentRows,
  type TypedData,
} from "@framebatch/rows/collate/sent-rows.js";
import type { TensorData } from "@framebatch/rows/tensor/tensor.js";

/** Rows on their way to a worker. */
export interface OutgoingRows {
  readonly rows: SentRows;
  readonly transfer: ArrayBuffer[];
  /** Whether rows move: the page then has nothing of them until they are answered or returned. */
  readonly isMoved: boolean;
}

/** Maximum size of what is copied in one task, in bytes: it takes about a millisecond. */
const MAX_COPIED_BYTES = 2 ** 22;

/** An array that another worker needs if this one dies. */
interface Kept {
  readonly elements: TypedData;
  /** Puts a copy into the message. */
  readonly copy: () => void;
}

/**
 * Prepares rows for a message. Moves large ones that their callers have given away, and copies other large ones, which
 * may take several tasks: then it returns a promise.
 * @param packed the same rows; small ones are packed and thereby copied
 * @param keeps whether no row moves
 */
export function outgoingRows(
  items: readonly PreparedItem[],
  packed: SentRows,
  keeps: boolean,
): OutgoingRows | Promise<OutgoingRows> {
  const columns = packed.columns.map((column) => (isPacked(column) ? column : [...column]));
  const isMoving = (row: number) => !keeps && items[row]?.take !== undefined;
  const kept = columns.flatMap((column) => (isPacked(column) ? [] : keptIn(column, isMoving)));
  const outgoing = (): OutgoingRows => {
    const typed = columns.flatMap((column) => (isPacked(column) ? [] : column.filter(isTyped)));
    const rows = { ...packed, columns };
    return { rows, transfer: buffersIn(rows), isMoved: typed.length > kept.length };
  };
  if (kept.reduce((sum, { elements }) => sum + elements.byteLength, 0) > MAX_COPIED_BYTES)
    return copyInTasks(kept).then(outgoing);
  for (const { copy } of kept) copy();
  return outgoing();
}

function keptIn(entries: (TensorData | null)[], isMoving: (row: number) => boolean): Kept[] {
  return entries.flatMap((elements, row) => {
    if (!isTyped(elements) || (isMoving(row) && ownsBuffer(elements))) return [];
    return [{ elements, copy: () => (entries[row] = elements.slice()) }];
  });
}

async function copyInTasks(kept: readonly Kept[]): Promise<void> {
  let copiedBytes = 0;
  for (const { elements, copy } of kept) {
    if (copiedBytes + elements.byteLength > MAX_COPIED_BYTES) {
      await nextTask();
      copiedBytes = 0;
    }
    copy();
    copiedBytes += elements.byteLength;
  }
}

/** Resolves in a new task. Uses no timer, because a hidden tab delays them. */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
