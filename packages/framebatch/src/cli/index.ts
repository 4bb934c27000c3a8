/** What the command `framebatch` needs of the library. */
export { interfaceName, isInterfaceName } from "./model-interface.js";
export { modelInterface } from "./model-interface.js";
