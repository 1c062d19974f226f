import { NetstatRequest_Filter } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';

/** The remote end of a socket. */
export interface SocketRemote {
  readonly remote: { readonly port: number; readonly isUnspecified: boolean };
}

/**
 * The predicate for a filter of Netstat. Source: Talos v1.14: Netstat.
 *
 * @throws Fault `invalid-argument` for an invalid filter.
 */
export function selectSocket(filter: NetstatRequest_Filter): (socket: SocketRemote) => boolean {
  switch (filter) {
    case NetstatRequest_Filter.ALL:
      return () => true;
    case NetstatRequest_Filter.CONNECTED:
      return ({ remote }) => !remote.isUnspecified && remote.port !== 0;
    case NetstatRequest_Filter.LISTENING:
      return ({ remote }) => remote.isUnspecified && remote.port === 0;
    default:
      throw new Fault('invalid-argument', `invalid filter: ${filter}`);
  }
}
