import { Fault } from '@nodewright/fault';

/** 20 characters of base32hex. Ids compare as their 12 bytes do, so later events have greater ids. */
export type EventId = string;

const alphabet = '0123456789abcdefghijklmnopqrstuv';
const counterLimit = 2 ** 24;

export interface EventIdSource {
  /** Unix ms. */
  readonly now: () => number;
  /** Three bytes that identify this machine. */
  readonly machine: Uint8Array;
  readonly pid: number;
  /** Below 2^24. */
  readonly firstCounter: number;
}

/**
 * Creates ids that always increase, even when the clock is set back or the counter overflows: the seconds
 * never decrease. Source: Talos v1.14: events, envelope.
 */
export function createEventIds({ now, machine, pid, firstCounter }: EventIdSource): () => EventId {
  let counter = firstCounter % counterLimit;
  let lastSeconds = 0;
  let isFirst = true;
  return () => {
    lastSeconds = Math.max(lastSeconds, Math.floor(now() / 1000));
    if (!isFirst) counter += 1;
    isFirst = false;
    if (counter === counterLimit) {
      counter = 0;
      lastSeconds += 1;
    }
    const bytes = new Uint8Array(12);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, lastSeconds);
    bytes.set(machine.subarray(0, 3), 4);
    view.setUint16(7, pid & 0xffff);
    bytes.set([counter >>> 16, (counter >>> 8) & 0xff, counter & 0xff], 9);
    return encode(bytes);
  };
}

/** The second in which the id was created, Unix time. */
export function secondsOfEventId(id: EventId): number {
  return new DataView(decode(id).buffer).getUint32(0);
}

/** @throws Fault `unknown` for an invalid id. */
export function parseEventId(text: string): EventId {
  if (text.length === 20 && encode(decode(text)) === text) return text;
  throw new Fault(
    'unknown',
    `error parsing tail_id: ${JSON.stringify(text)} is not the id of an event: 20 characters of 0-9 and a-v`,
  );
}

/** Five bits per character, and four zero bits after the 96. */
function encode(bytes: Uint8Array): string {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  bits <<= 4n;
  let text = '';
  for (let at = 0; at < 20; at++, bits >>= 5n) text = alphabet.charAt(Number(bits & 31n)) + text;
  return text;
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  let bits = 0n;
  for (const character of text) bits = (bits << 5n) | BigInt(Math.max(0, alphabet.indexOf(character)));
  bits >>= 4n;
  const bytes = new Uint8Array(12);
  for (let at = 11; at >= 0; at--, bits >>= 8n) bytes[at] = Number(bits & 255n);
  return bytes;
}
