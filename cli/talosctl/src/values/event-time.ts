const alphabet = '0123456789abcdefghijklmnopqrstuv';

/** The creation time of an event in whole seconds; `undefined` if its id is not an xid. Source: xid: binary layout. */
export function eventTime(id: string): Date | undefined {
  if (!/^[0-9a-v]{20}$/.test(id)) return undefined;
  // The first 32 of 96 bits are seconds since 1970. A character encodes five bits.
  let bits = 0n;
  for (const character of id.slice(0, 7)) bits = (bits << 5n) | BigInt(alphabet.indexOf(character));
  return new Date(Number(bits >> 3n) * 1000);
}

/** The creation time as `2026-01-10T09:00:01Z`; `undefined` if the id is not an xid. */
export function eventTimeText(id: string): string | undefined {
  return eventTime(id)?.toISOString().replace('.000Z', 'Z');
}
