import { Fault } from '@nodewright/fault';

/**
 * Destinations of a node, and once more as many for the kernel's log. What is said about one that fails is a record for
 * all of them: thousands would keep a node busy with their own complaints.
 */
export const logDestinationLimit = 64;

/** Where records of logs go. */
export interface LogDestination {
  readonly protocol: 'tcp' | 'udp';
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Stand in every record. */
  readonly extraTags: Readonly<Record<string, string>>;
}

/**
 * A destination from its URL, `tcp://10.0.0.1:514`.
 *
 * @throws Fault `invalid-argument` for another protocol or without host and port
 */
export function logDestinationFromUrl(
  url: string,
  extraTags: Readonly<Record<string, string>> = {},
): LogDestination {
  const match = /^(tcp|udp):\/\/(?:\[([^\]]+)\]|([^/:?#@]+)):(\d{1,5})\/?$/.exec(url);
  const port = Number(match?.[4]);
  const host = match?.[2] ?? match?.[3];
  if (host === undefined || !(port > 0 && port < 65_536)) {
    throw new Fault(
      'invalid-argument',
      `log destination "${url}" must be tcp://host:port or udp://host:port`,
    );
  }
  return { protocol: match?.[1] as LogDestination['protocol'], host, port, extraTags };
}

/** `tcp://10.0.0.1:514`. Tags are not part of it. */
export function logDestinationText({ protocol, host, port }: LogDestination): string {
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Two destinations with the same key are the same. */
export function logDestinationKey(destination: LogDestination): string {
  const tags = Object.entries(destination.extraTags).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([logDestinationText(destination), tags]);
}
