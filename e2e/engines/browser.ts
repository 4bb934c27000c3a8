/** A browser, independent of the protocol that drives it. */
export interface Browser {
  readonly version: string;
  /** Opens a tab that shares storage and workers with the others. */
  openTab(): Promise<Tab>;
  close(): Promise<void>;
}

export interface Tab {
  /** Resolves when the page has loaded. Reloads it if it is the same page. */
  open(url: string): Promise<unknown>;
  /** Evaluates an expression whose promise resolves with a string. */
  ask(expression: string): Promise<string>;
  close(): Promise<void>;
  /** Kills the process of the page, and closes the tab. `null` where the driver cannot tell which process it is. */
  readonly crash: (() => Promise<void>) | null;
}
