import { Fault } from '@nodewright/fault';

/** Parses `:50001`, `10.5.0.2:50001` or `[fd00::2]:50001`. No host means all addresses. */
export function parseListenAddress(text: string): { readonly host?: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new Fault('invalid-argument', `the listen address must be host:port, not ${JSON.stringify(text)}`);
  }
  const host = match[1] ?? match[2] ?? '';
  return host === '' ? { port } : { host, port };
}
