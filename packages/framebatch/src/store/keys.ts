/** Keys in the store `manifests`: a manifest by the model's address, and facts by the digest of the model's bytes. */
export const manifestKey = (url: string): string => `manifest ${url}`;
export const factsKey = (sha256: string, context: string): string => `facts ${sha256} ${context}`;

/** Returns the address in the key of a manifest; `null` for any other key. */
export function urlOfManifestKey(key: IDBValidKey): string | null {
  return typeof key === "string" && key.startsWith("manifest ") ? key.slice("manifest ".length) : null;
}

/** Returns the digest in the key of facts; `null` for any other key. */
export function digestOfFactsKey(key: IDBValidKey): string | null {
  return typeof key === "string" && key.startsWith("facts ") ? (key.split(" ")[1] ?? null) : null;
}
