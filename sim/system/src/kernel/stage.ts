import type { Realm } from "./realm.js";
import type { World } from "./world.js";

/** The scenario that runs in this process. There is one at a time: realms and their objects outlive scenarios. */
export const stage: { world: World | null } = { world: null };

/** Returns the world of the running scenario. */
export function worldNow(): World {
  if (stage.world === null) throw new Error("no scenario is running");
  return stage.world;
}

/** Returns the realm whose code calls. */
export function realmNow(): Realm {
  const { current } = worldNow();
  if (current === null) throw new Error("no realm is running");
  return current;
}
