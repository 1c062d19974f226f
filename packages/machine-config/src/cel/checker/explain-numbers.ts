/**
 * Returns a hint for a call that mixes number types, or an empty text when it does not. `types` are type
 * names.
 */
export function explainNumbers(types: readonly string[]): string {
  const numbers = new Set(types.filter((type) => ['int', 'uint', 'double'].includes(type)));
  if (numbers.size < 2) return '';
  const hints = [
    ...(numbers.has('uint') ? ['an unsigned number ends in u, as in 120u'] : []),
    ...(numbers.has('double') ? ['a double has a point, as in 12.0'] : []),
  ];
  return `: number types cannot be mixed: ${hints.join('; ')}`;
}
