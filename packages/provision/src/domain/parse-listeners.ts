/** A socket that listens on TCP, as `/proc/net/tcp` and `/proc/net/tcp6` show it. */
export interface TcpListener {
  /** IPv4 text, or undefined for a socket that takes connections to every address. */
  readonly address: string | undefined;
  readonly port: number;
  /** The kernel's number of the socket, by which its process is found; "0" when it is hidden from us. */
  readonly inode: string;
}

const listenState = '0A';

/** The listeners in the text of one of the two files. Source: Linux, Documentation/networking/proc_net_tcp. */
export function parseListeners(text: string): TcpListener[] {
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[3] === listenState && columns[9] !== undefined)
    .map(([, local = '', , , , , , , , inode = '0']) => {
      const [address = '', port = ''] = local.split(':');
      return { address: addressFromHex(address), port: Number.parseInt(port, 16), inode };
    });
}

/** The listener that keeps `address:port` from being bound: on that address, or on all. */
export function listenerInTheWay(
  listeners: readonly TcpListener[],
  address: string,
  port: number,
): TcpListener | undefined {
  return listeners.find((it) => it.port === port && (it.address === undefined || it.address === address));
}

/** Words of 32 bits in the machine's byte order. Only IPv4 (and its mapped form) and "any" matter here. */
function addressFromHex(hex: string): string | undefined {
  if (/^0+$/.test(hex)) return undefined;
  const word = hex.slice(-8);
  const bytes = [6, 4, 2, 0].map((at) => Number.parseInt(word.slice(at, at + 2), 16));
  const text = bytes.join('.');
  return text === '0.0.0.0' ? undefined : text;
}
