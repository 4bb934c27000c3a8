/** What an HTTP status other than success says about a request. */
export interface StatusTraits {
  /**
   * Whom the status blames:
   * - `items`: what was sent. A part of it, or other items, may be answered.
   * - `server`: the server, or something between, and not what was sent. Every request would get it now: an outage.
   * - `unclear`: the server failed at this request. The items may be the reason, or the server.
   */
  readonly blames: "items" | "server" | "unclear";
  /** Whether the same request may be answered a moment later. */
  readonly mayPass: boolean;
}

const ITEMS: StatusTraits = { blames: "items", mayPass: false };
/** The server does not serve this client or this address, or does not know the method. */
const REFUSED: StatusTraits = { blames: "server", mayPass: false };
/** The server, or a gateway in front of it, is busy, starting or away. */
const BUSY: StatusTraits = { blames: "server", mayPass: true };

/** The statuses that differ from others of their class. */
const STATUSES: ReadonlyMap<number, StatusTraits> = new Map([
  [401, REFUSED],
  [402, REFUSED],
  [403, REFUSED],
  [404, REFUSED],
  [405, REFUSED],
  [407, REFUSED],
  [408, BUSY],
  [410, REFUSED],
  [421, REFUSED],
  [425, BUSY],
  [426, REFUSED],
  [429, BUSY],
  [451, REFUSED],
  [500, { blames: "unclear", mayPass: true }],
  [501, REFUSED],
  [505, REFUSED],
  [511, REFUSED],
]);

/** Returns what a status other than success says. Every decision about a status derives from this one. */
export function statusTraits(status: number): StatusTraits {
  return STATUSES.get(status) ?? traitsOfClass(Math.floor(status / 100));
}

function traitsOfClass(hundreds: number): StatusTraits {
  if (hundreds === 4) return ITEMS;
  return hundreds === 5 ? BUSY : REFUSED;
}
