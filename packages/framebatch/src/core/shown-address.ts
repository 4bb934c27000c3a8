/** The parts of a `URL` that `shownAddress` uses. */
interface Address {
  readonly protocol: string;
  readonly origin: string;
  readonly pathname: string;
}

/** Returns an address for messages: only its origin and path, since its query, or a `data:` address, may hold a secret. */
export function shownAddress({ protocol, origin, pathname }: Address): string {
  return /^https?:$/.test(protocol) ? origin + pathname : `a ${protocol} address`;
}
