import { Fault } from '@nodewright/fault';

/**
 * The limit of destinations for the logs of services, and separately for the kernel's log. A failed
 * destination adds a log record, which every destination receives. Thousands of them would keep a node busy
 * with these records.
 */
export const logDestinationLimit = 64;

/** A destination of log records. */
export interface LogDestination {
  readonly protocol: 'tcp' | 'udp';
  /** A host name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Tags that are added to every record. */
  readonly extraTags: Readonly<Record<string, string>>;
}

/**
 * Parses the URL of a destination, such as `tcp://10.0.0.1:514`.
 *
 * @throws Fault `invalid-argument` for another protocol, or without host and port
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

/** Formats the URL of a destination, such as `tcp://10.0.0.1:514`, without its tags. */
export function logDestinationText({ protocol, host, port }: LogDestination): string {
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Identifies a destination: destinations with the same key are equal. */
export function logDestinationKey(destination: LogDestination): string {
  const tags = Object.entries(destination.extraTags).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([logDestinationText(destination), tags]);
}
