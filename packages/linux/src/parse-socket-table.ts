import { ipAddressText } from './ip-address-text.ts';

/** The socket tables in `/proc/net`. */
export const socketTableNames = ['tcp', 'tcp6', 'udp', 'udp6', 'udplite', 'udplite6', 'raw', 'raw6'] as const;

export type SocketTableName = (typeof socketTableNames)[number];

/** One end of a connection. */
export interface SocketAddress {
  readonly address: string;
  /** 0 without a port; for raw sockets the number of the protocol. */
  readonly port: number;
  /** Whether the address is unspecified: `0.0.0.0`, `::` or `::ffff:0.0.0.0`. */
  readonly isUnspecified: boolean;
}

/** A line of a socket table. Source: Talos v1.14: Netstat; proc_net_tcp of the kernel. */
export interface SocketEntry {
  readonly local: SocketAddress;
  readonly remote: SocketAddress;
  /** Number of the state in the kernel: 1 established, 7 closed, 10 listening, ... */
  readonly state: number;
  readonly sendQueue: bigint;
  readonly receiveQueue: bigint;
  /** The running timer: 0 none, 1 retransmission, 2 keep-alive, 3 end of TIME_WAIT, 4 window probe. */
  readonly timer: number;
  /** Ticks of 10 ms until it fires. */
  readonly timerWhen: bigint;
  readonly retransmits: bigint;
  readonly uid: number;
  readonly timeout: bigint;
  /** 0 for a socket that no process holds any more. */
  readonly inode: bigint;
  readonly references: bigint;
  /** Address of the socket in the kernel; zero or hashed for users without permission. */
  readonly pointer: bigint;
}

const linePattern =
  /^\s*\d+: ([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4}) ([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4}) ([\dA-F]{2}) ([\dA-F]{8}):([\dA-F]{8}) ([\dA-F]{2}):([\dA-F]{8}) ([\dA-F]{8}) +(\d{1,10}) +(\d{1,19}) (\d{1,19}) (\d{1,10}) ([\da-fA-F]{1,16})(?:\s|$)/;

const maxUint32 = 0xffff_ffff;

/** Parses one line of a table; undefined for its heading and for a line in another format. */
export function parseSocketLine(line: string): SocketEntry | undefined {
  const columns = linePattern.exec(line);
  if (columns === null) return undefined;
  const text = (column: number) => columns[column] as string;
  const hex = (column: number) => BigInt(`0x${text(column)}`);
  const uid = Number(text(11));
  if (uid > maxUint32) return undefined;

  return {
    local: socketAddress(text(1), text(2)),
    remote: socketAddress(text(3), text(4)),
    state: Number(hex(5)),
    sendQueue: hex(6),
    receiveQueue: hex(7),
    timer: Number(hex(8)),
    timerWhen: hex(9),
    retransmits: hex(10),
    uid,
    timeout: BigInt(text(12)),
    inode: BigInt(text(13)),
    references: BigInt(text(14)),
    pointer: hex(15),
  };
}

/** Parses a whole table line by line, so that a long one is not in memory twice. */
export function* parseSocketTable(text: string): Generator<SocketEntry> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const entry = parseSocketLine(text.slice(start, end));
    if (entry !== undefined) yield entry;
    start = end + 1;
  }
}

/** The kernel prints an address as words of 32 bits in host byte order, here little-endian. */
function socketAddress(addressText: string, portText: string): SocketAddress {
  const bytes = Buffer.from(addressText, 'hex');
  bytes.swap32();
  const address = ipAddressText(bytes);
  return {
    address,
    port: Number.parseInt(portText, 16),
    isUnspecified: address === '0.0.0.0' || address === '::',
  };
}
