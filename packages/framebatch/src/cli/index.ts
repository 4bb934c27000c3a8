/** What the command `framebatch` needs of the library. */
export { interfaceName, isInterfaceName } from "./interface-name.js";
export { modelInterface } from "./model-interface.js";
