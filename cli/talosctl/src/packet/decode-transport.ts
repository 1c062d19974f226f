import type { PacketBytes } from './packet-bytes.ts';

/** The decoded fields of the transport protocol. */
export interface DecodedTransport {
  readonly transport: string;
  readonly sourcePort?: number | undefined;
  readonly destinationPort?: number | undefined;
  readonly detail?: string | undefined;
}

const icmpTypes: Readonly<Record<number, string>> = {
  0: 'echo reply',
  3: 'unreachable',
  5: 'redirect',
  8: 'echo request',
  11: 'time exceeded',
};
const icmpv6Types: Readonly<Record<number, string>> = {
  1: 'unreachable',
  2: 'packet too big',
  3: 'time exceeded',
  128: 'echo request',
  129: 'echo reply',
  133: 'router solicitation',
  134: 'router advertisement',
  135: 'neighbour solicitation',
  136: 'neighbour advertisement',
};

/** In the order in which tcpdump prints them. */
const tcpFlags: readonly (readonly [number, string])[] = [
  [0x01, 'F'],
  [0x02, 'S'],
  [0x04, 'R'],
  [0x08, 'P'],
  [0x10, '.'],
  [0x20, 'U'],
  [0x40, 'E'],
  [0x80, 'W'],
];
const acknowledged = 0x10;

/**
 * @param protocol number assigned by IANA; undefined when it was cut off
 * @param payloadBytes original length including the transport header
 */
export function decodeTransport(
  protocol: number | undefined,
  bytes: PacketBytes,
  payloadBytes: number,
): DecodedTransport {
  const length = `length ${Math.max(0, payloadBytes)}`;
  switch (protocol) {
    case 1:
      return { transport: 'ICMP', detail: `${messageName(bytes, icmpTypes)}, ${length}` };
    case 6:
      return decodeTcp(bytes, payloadBytes);
    case 17:
      return {
        transport: 'UDP',
        sourcePort: bytes.word(0),
        destinationPort: bytes.word(2),
        detail: `length ${Math.max(0, (bytes.word(4) ?? payloadBytes) - 8)}`,
      };
    case 58:
      return { transport: 'ICMPv6', detail: `${messageName(bytes, icmpv6Types)}, ${length}` };
    case undefined:
      return { transport: 'cut' };
    default:
      return { transport: `protocol ${protocol}`, detail: length };
  }
}

function messageName(bytes: PacketBytes, names: Readonly<Record<number, string>>): string {
  const [type, code] = [bytes.byte(0), bytes.byte(1)];
  if (type === undefined) return 'cut';
  return names[type] ?? `type ${type} code ${code}`;
}

function decodeTcp(bytes: PacketBytes, payloadBytes: number): DecodedTransport {
  const flags = bytes.byte(13) ?? 0;
  const letters = tcpFlags.filter(([bit]) => (flags & bit) !== 0).map(([, letter]) => letter);
  const headerBytes = ((bytes.byte(12) ?? 0) >> 4) * 4;
  const parts = [
    `flags [${letters.join('') || 'none'}]`,
    `seq ${bytes.long(4)}`,
    ...((flags & acknowledged) === 0 ? [] : [`ack ${bytes.long(8)}`]),
    `win ${bytes.word(14)}`,
    `length ${Math.max(0, payloadBytes - headerBytes)}`,
  ];
  const isWhole = bytes.length >= 16;
  return {
    transport: 'TCP',
    sourcePort: bytes.word(0),
    destinationPort: bytes.word(2),
    ...(isWhole ? { detail: parts.join(', ') } : {}),
  };
}
