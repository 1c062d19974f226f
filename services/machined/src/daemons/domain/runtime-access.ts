import { Fault } from '@nodewright/fault';
import type { KindRef } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  hostnameStatuses,
  members,
  nodeAddresses,
  osRootSecrets,
  trustdCertificates,
} from '@nodewright/state/kinds';
import { isReadVerb, type ResourceVerb } from '../../access/domain/resource-access.ts';
import type { ChildDaemon } from './daemon-command.ts';

interface Readable {
  readonly kind: KindRef;
  /** Only this one. */
  readonly id?: string;
}

/**
 * What each daemon beside machined may read over its own socket: single resources, or whole kinds. That apid may know
 * the members, to find nodes by their names, is ours. Source: Talos v1.14: private runtime sockets.
 */
const readable: Readonly<Record<ChildDaemon, readonly Readable[]>> = {
  apid: [
    { kind: apiServiceConfigs, id: 'apid' },
    { kind: apiCertificates, id: 'api' },
    { kind: nodeAddresses },
    { kind: hostnameStatuses },
    { kind: members },
  ],
  trustd: [
    { kind: trustdCertificates, id: 'trustd' },
    { kind: osRootSecrets, id: 'os' },
  ],
};

/** Why a daemon may not do that, or undefined when it may. `id` undefined: the whole kind. */
export function checkRuntimeAccess(
  daemon: ChildDaemon,
  verb: ResourceVerb,
  { namespace, type, id }: KindRef & { readonly id?: string },
): Fault | undefined {
  // Without a code of their own, as upstream's, they arrive as Unknown.
  if (!isReadVerb(verb)) return new Fault('unknown', 'write access denied');
  const isReadable = readable[daemon].some(
    ({ kind, id: only }) =>
      kind.namespace === namespace && kind.type === type && (only === undefined || only === id),
  );
  return isReadable ? undefined : new Fault('unknown', 'access denied');
}
