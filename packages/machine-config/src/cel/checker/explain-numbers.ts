/** What to write where numbers of different types meet; empty where they do not. `types` are names of types. */
export function explainNumbers(types: readonly string[]): string {
  const numbers = new Set(types.filter((type) => ['int', 'uint', 'double'].includes(type)));
  if (numbers.size < 2) return '';
  const hints = [
    ...(numbers.has('uint') ? ['an unsigned number ends in u, as in 120u'] : []),
    ...(numbers.has('double') ? ['a double has a point, as in 12.0'] : []),
  ];
  return `: types of numbers do not mix, ${hints.join('; ')}`;
}
