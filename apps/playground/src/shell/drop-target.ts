import { useSignal } from "@preact/signals";

/**
 * Returns the properties of an element that takes files by drag and drop. `data-over` is true while files are over it.
 * @param take receives the first of the files
 */
export function useDropTarget(take: (file: File) => void) {
  const isOver = useSignal(false);
  return {
    "data-over": isOver,
    onDragOver(event: DragEvent) {
      event.preventDefault();
      isOver.value = true;
    },
    onDragLeave() {
      isOver.value = false;
    },
    onDrop(event: DragEvent) {
      event.preventDefault();
      isOver.value = false;
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) take(file);
    },
  };
}
