/** A listening TCP socket in `/proc/net/tcp` or `/proc/net/tcp6`. */
export interface TcpListener {
  /** IPv4 address; `undefined` for a socket that listens on all addresses. */
  readonly address: string | undefined;
  readonly port: number;
  /** The inode of the socket, by which its process is found; "0" when the kernel hides it from this user. */
  readonly inode: string;
}

const listenState = '0A';

/** Parses the text of one of the two files. Source: Linux, Documentation/networking/proc_net_tcp. */
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

/** Returns the listener that prevents binding `address:port`: one on that address, or on all addresses. */
export function listenerInTheWay(
  listeners: readonly TcpListener[],
  address: string,
  port: number,
): TcpListener | undefined {
  return listeners.find((it) => it.port === port && (it.address === undefined || it.address === address));
}

/**
 * Converts a hexadecimal address, in 32-bit words in host byte order. Only IPv4, IPv4-mapped and unspecified
 * addresses matter here.
 */
function addressFromHex(hex: string): string | undefined {
  if (/^0+$/.test(hex)) return undefined;
  const word = hex.slice(-8);
  const bytes = [6, 4, 2, 0].map((at) => Number.parseInt(word.slice(at, at + 2), 16));
  const text = bytes.join('.');
  return text === '0.0.0.0' ? undefined : text;
}
