import type { ObtainedFile } from "../../transport/obtained-file.js";

/** What a shared session is to pages that want to join. */
type SharedState =
  /** The bytes that it loads are not known: pages that want others than the first one wait. */
  | { readonly name: "loading" }
  /** Pages that want these files may join. */
  | { readonly name: "open"; readonly files: readonly ObtainedFile[] }
  /** It is lost or was never ready, or its last page has left: no page may join. */
  | { readonly name: "retired"; readonly files: readonly ObtainedFile[] };

/** The life of a shared session: its states and the transitions between them. docs/architecture.md draws it. `retired` is final. */
export class SharedLife {
  #state: SharedState = { name: "loading" };
  #settle: () => void = () => undefined;
  /** Resolves when the session is no longer loading. */
  readonly settled = new Promise<void>((resolve) => (this.#settle = resolve));

  get state(): SharedState["name"] {
    return this.#state.name;
  }

  /** The files that the session has obtained, the model first; none while they are not known. */
  get files(): readonly ObtainedFile[] {
    return this.#state.name === "loading" ? [] : this.#state.files;
  }

  /** `loading` → `open`. A session that is open or retired stays so. */
  obtained(files: readonly ObtainedFile[]): void {
    this.#enter({ name: this.#state.name === "retired" ? "retired" : "open", files });
  }

  /** Any state → `retired`. */
  retire(): void {
    this.#enter({ name: "retired", files: this.files });
  }

  #enter(state: SharedState): void {
    this.#state = state;
    this.#settle();
  }
}
