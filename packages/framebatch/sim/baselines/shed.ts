import { FramebatchError } from "../../src/core/errors.js";

/** What a baseline tells a request that it gives up. */
export const SHED = new FramebatchError("OVERLOADED", "the request cannot meet its objective; try again later");
