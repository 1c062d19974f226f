import { pointerTo, type State } from '@nodewright/state';
import { hostnameStatuses, members } from '@nodewright/state/kinds';
import { specOf } from '../../base/resources/spec-of.ts';
import type { OtherServer } from './replace-in-turn.ts';

/** The API servers of all other control planes. A node that disappears is no member after 15 s. */
export async function otherServers(state: State): Promise<readonly OtherServer[]> {
  const own = (await specOf(state, pointerTo(hostnameStatuses)))?.hostname;
  return (await state.list(members)).flatMap(({ spec: { hostname, addresses, controlPlane } }) => {
    const [host] = addresses;
    // The name of a member may have a domain.
    const isOwn = hostname.split('.')[0] === own;
    if (isOwn || controlPlane === undefined || host === undefined) return [];
    return [{ node: hostname, host, port: controlPlane.port }];
  });
}
