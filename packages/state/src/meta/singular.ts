/**
 * The singular of an English plural, as far as names of resources need it. Upstream's rules cut `caches` to `cach`,
 * and what users see must be the same. Source: Talos v1.14: meta resources, display type.
 */
export function singularOf(plural: string): string {
  if (/ies$/i.test(plural)) return plural.replace(/ies$/i, 'y');
  if (/(x|ch|ss|sh|zz|[^aou]us|alias)es$/i.test(plural)) return plural.replace(/es$/i, '');
  if (/ss$/i.test(plural)) return plural;
  return plural.replace(/s$/i, '');
}
