import type { ComponentChildren, RefObject } from "preact";

interface FileButtonProps {
  /** The input behind the button. A click on it opens the dialog. */
  readonly input: RefObject<HTMLInputElement | null>;
  readonly class: string;
  /** The name of the input. */
  readonly label: string;
  readonly testId: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}

/** Opens the dialog for files. The input of it has the test id of the button and `-file`. */
export function FileButton({ input, class: className, label, testId, onFiles, children }: FileButtonProps) {
  return (
    <>
      <button type="button" class={className} data-testid={testId} onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        class="visually-hidden"
        tabIndex={-1}
        aria-label={label}
        data-testid={`${testId}-file`}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // Allows the visitor to choose the same file again after a change.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
