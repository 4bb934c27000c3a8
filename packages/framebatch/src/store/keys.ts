/** Keys among the manifests: of an address, what is known of the model there; of a model's bytes, facts. */
export const manifestKey = (url: string): string => `manifest ${url}`;
export const factsKey = (sha256: string, context: string): string => `facts ${sha256} ${context}`;

/** The address in a manifest's key; `null` for any other key. */
export function urlOfManifestKey(key: IDBValidKey): string | null {
  return typeof key === "string" && key.startsWith("manifest ") ? key.slice("manifest ".length) : null;
}

/** The digest in the key of facts; `null` for any other key. */
export function digestOfFactsKey(key: IDBValidKey): string | null {
  return typeof key === "string" && key.startsWith("facts ") ? (key.split(" ")[1] ?? null) : null;
}
