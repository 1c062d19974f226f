import { NetstatRequest_Filter } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';

/** The part of a socket that decides: where its other end is. */
export interface SocketRemote {
  readonly remote: { readonly port: number; readonly isUnspecified: boolean };
}

/**
 * Which sockets a filter of Netstat lets through. Source: Talos v1.14: Netstat.
 *
 * @throws Fault `invalid-argument` for a filter that is none.
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
