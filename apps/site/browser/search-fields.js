/** What the search reads and returns: the index is built with the same options as it is read with. */
export const FIELDS = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "text", "weight"],
};
