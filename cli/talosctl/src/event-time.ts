const alphabet = '0123456789abcdefghijklmnopqrstuv';

/** The time at which an event was made, to the second, from its id. Undefined for an id of another form. Source: xid: binary layout. */
export function eventTime(id: string): Date | undefined {
  if (!/^[0-9a-v]{20}$/.test(id)) return undefined;
  // The first 32 of 96 bits are seconds since 1970; a character holds five.
  let bits = 0n;
  for (const character of id.slice(0, 7)) bits = (bits << 5n) | BigInt(alphabet.indexOf(character));
  return new Date(Number(bits >> 3n) * 1000);
}

/** `2026-01-10T09:00:01Z`; undefined where the id says nothing. */
export function eventTimeText(id: string): string | undefined {
  return eventTime(id)?.toISOString().replace('.000Z', 'Z');
}
