/** The IP address of a peer as gRPC shows it: `10.5.0.5:41234` or `[fd00::5]:41234`. Empty when it shows none. */
export function callerAddress(peer: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):\d+$/.exec(peer);
  return match?.[1] ?? match?.[2] ?? '';
}
