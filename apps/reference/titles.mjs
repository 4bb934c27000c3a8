import { Converter } from "typedoc";

/**
 * A plugin of TypeDoc: names each guide after its heading, in the navigation, the search and the address. TypeDoc takes
 * the name of the file.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => {
    const [, heading] = /^# (.+)$/m.exec(document.content[0]?.text ?? "") ?? [];
    if (heading !== undefined) document.name = heading;
  });
}
