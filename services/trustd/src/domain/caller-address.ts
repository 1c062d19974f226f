const address = /^[0-9a-f.:]+$/i;

/**
 * The IP address of a peer as gRPC shows it: `10.5.0.5:41234`, `[fd00::5]:41234` or, by grpc-js, `fd00::5:41234`. Empty
 * when it shows none.
 */
export function callerAddress(peer: string): string {
  const colon = peer.lastIndexOf(':');
  if (colon === -1 || !/^\d+$/.test(peer.slice(colon + 1))) return '';
  const host = peer.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return address.test(host) ? host : '';
}
