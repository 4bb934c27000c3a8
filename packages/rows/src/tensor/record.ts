/**
 * Sets a property, whatever its name: a model may call a tensor `__proto__`, and an assignment to that would set the
 * prototype.
 */
export function setOwn<Value>(record: Record<string, Value>, name: string, value: Value): void {
  if (name !== "__proto__") record[name] = value;
  else Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Whether an object has a property of this name. It does not count those that every object has, such as `constructor`.
 */
export function hasGiven(record: object, name: string): boolean {
  return Object.hasOwn(record, name) || (name in record && !(name in Object.prototype));
}

/** Returns the property of this name; `undefined` if there is none. It is none of those that every object has. */
export function givenIn<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return hasGiven(record, name) ? record[name] : undefined;
}
