/**
 * Returns the singular of an English plural, for names of resource types. The rules of Talos shorten `caches`
 * to `cach`; users must see the same names here. Source: Talos v1.14: meta resources, display type.
 */
export function singularOf(plural: string): string {
  if (/ies$/i.test(plural)) return plural.replace(/ies$/i, 'y');
  if (/(x|ch|ss|sh|zz|[^aou]us|alias)es$/i.test(plural)) return plural.replace(/es$/i, '');
  if (/ss$/i.test(plural)) return plural;
  return plural.replace(/s$/i, '');
}
