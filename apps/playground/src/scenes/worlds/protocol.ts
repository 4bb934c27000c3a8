import type { ErrorCode, ExecutionProvider, ModelOptions } from "framebatch";

/** The model that the callers of a world ask. */
export interface WorldModel {
  /** An absolute URL. */
  readonly url: string;
  readonly options: ModelOptions;
}

export type ToWorld<Settings> =
  | { readonly type: "open"; readonly canvas: OffscreenCanvas; readonly settings: Settings }
  | { readonly type: "change"; readonly settings: Settings }
  | { readonly type: "model"; readonly model: WorldModel }
  /** A source of what the callers ask about; `null` ends it. */
  | { readonly type: "source"; readonly port: MessagePort | null };

export type FromWorld<Figures> =
  | { readonly type: "ready"; readonly provider: ExecutionProvider }
  | { readonly type: "figures"; readonly figures: Figures }
  | { readonly type: "failed"; readonly code: ErrorCode | null; readonly message: string };
