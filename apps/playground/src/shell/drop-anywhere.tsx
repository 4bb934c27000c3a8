import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Playground } from "../playground.js";

/** Takes files that are dropped anywhere on the page, and says while they are over it whether it can. */
export function DropAnywhere({ playground }: { playground: Playground }) {
  const isOver = useSignal(false);
  useEffect(() => {
    const listening = new AbortController();
    const listen = (type: "dragover" | "dragleave" | "drop", act: (event: DragEvent) => void): void =>
      document.addEventListener(type, act, listening);
    listen("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      isOver.value = true;
    });
    listen("dragleave", ({ relatedTarget }) => {
      // The pointer has left the window.
      if (relatedTarget === null) isOver.value = false;
    });
    listen("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      isOver.value = false;
      playground.takeFiles([...(event.dataTransfer?.files ?? [])]);
    });
    return () => listening.abort();
  }, [playground, isOver]);
  if (!isOver.value) return null;
  return (
    <div class="drop-anywhere" aria-hidden="true">
      <p>
        {playground.comparing.value
          ? "A measurement runs. Drop it when that has ended."
          : "Drop it anywhere. It stays on this device."}
      </p>
    </div>
  );
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}
