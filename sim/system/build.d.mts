/** Text to replace in one file of framebatch, relative to `packages`: a planted bug. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Bundles both halves of framebatch, with all dynamic imports inside. */
export function bundleHalves(
  root?: string,
  change?: Change,
): Promise<{ readonly page: string; readonly worker: string }>;
