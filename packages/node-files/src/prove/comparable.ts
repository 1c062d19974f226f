/**
 * A value in which parts have names where they can have one: flags of a command line, and items of a list that all have a `name`. One that
 * is added then does not move the others.
 */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return ofList(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, comparable(child)]));
}

function ofList(list: readonly unknown[]): unknown {
  if (list.some((item) => typeof item === 'string' && item.startsWith('--')))
    return flagsByName(list.filter((item) => typeof item === 'string'));
  const names = list.map((item) =>
    typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string'
      ? item.name
      : undefined,
  );
  const isNamed = list.length > 0 && !names.includes(undefined) && new Set(names).size === list.length;
  if (!isNamed) return list.map(comparable);
  return Object.fromEntries(list.map((item, at) => [names[at], comparable(item)]));
}

/** Flags by their names with dashes, and the values of each in order. Other words stay where they are. */
export function flagsByName(words: readonly string[]): Record<string, string | readonly string[]> {
  const flags = new Map<string, string[]>();
  for (const [at, word] of words.entries()) {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals >= 0 ? word.slice(0, equals) : word.startsWith('--') ? word : `[${at}]`;
    const values = flags.get(name);
    const value = equals >= 0 ? word.slice(equals + 1) : word;
    if (values === undefined) flags.set(name, [value]);
    else values.push(value);
  }
  const one = (values: string[]) => (values.length === 1 ? (values[0] as string) : values);
  return Object.fromEntries([...flags].map(([name, values]) => [name, one(values)]));
}
