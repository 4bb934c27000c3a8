/** The version of this package, from its package.json. The build inserts it. */
declare const FRAMEBATCH_VERSION: string;

/** The version of this half of framebatch. A page and a worker of different versions may not understand each other. */
export const VERSION: string = FRAMEBATCH_VERSION;
