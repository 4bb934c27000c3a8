import { readFileSync } from "node:fs";

/**
 * Whether the package and the repository are public. The switch is `publication.json` in the root of the repository.
 *
 * @type {{ readonly isPublic: boolean, readonly repository: string, readonly npm: string }}
 */
export const publication = JSON.parse(readFileSync(new URL("../../../publication.json", import.meta.url), "utf8"));
