import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { LaneName } from "../../measure/gain.js";
import { ScrolledRows } from "../languages/row-view.js";
import type { Sentence } from "./sentence.js";
import type { TwoPages } from "./two-pages.js";

/** The sentences of a side. Both sides scroll together. */
export function PageList({ pages, lane }: { pages: TwoPages; lane: LaneName }) {
  const { page } = pages.sides[lane];
  const box = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (box.current === null) return undefined;
    const rows = new ScrolledRows(box.current, page.sentences.length);
    const stop = rows.view.subscribe(({ inView }) => page.look(inView));
    return () => {
      stop();
      rows.dispose();
    };
  }, [page]);
  useSignalEffect(() => {
    const top = pages.scrolledTo.value;
    // Where it is already, a fraction of a pixel must not move the other side again.
    if (box.current !== null && Math.abs(box.current.scrollTop - top) >= 1) box.current.scrollTop = top;
  });
  return (
    <ol
      class="sentences"
      ref={box}
      tabIndex={0}
      aria-label="Sentences of the page"
      data-testid={`translate-page-${lane}`}
      onScroll={({ currentTarget }) => (pages.scrolledTo.value = currentTarget.scrollTop)}
    >
      {page.sentences.map((sentence, index) => (
        <SentenceRow key={index} sentence={sentence} />
      ))}
    </ol>
  );
}

function SentenceRow({ sentence }: { sentence: Sentence }) {
  return (
    <li class="sentence" data-done={sentence.isDone}>
      <span class="sentence-translated" lang="nl">
        {sentence.translated}
      </span>{" "}
      <span lang="en">{sentence.left}</span>
    </li>
  );
}
