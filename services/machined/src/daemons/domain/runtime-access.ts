import { Fault } from '@nodewright/fault';
import { type KindRef, type Pointer, pointerTo } from '@nodewright/state';
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
  readonly resources: readonly Pointer[];
  /** Kinds of which a daemon may read every resource. */
  readonly kinds: readonly KindRef[];
}

/**
 * What each daemon beside machined may read over its own socket: single resources, or whole kinds. That apid may know
 * the members, to find nodes by their names, is ours. Source: Talos v1.14: private runtime sockets.
 */
const readable: Readonly<Record<ChildDaemon, Readable>> = {
  apid: {
    resources: [pointerTo(apiServiceConfigs), pointerTo(apiCertificates)],
    kinds: [nodeAddresses, hostnameStatuses, members],
  },
  trustd: { resources: [pointerTo(trustdCertificates), pointerTo(osRootSecrets)], kinds: [] },
};

/** Why a daemon may not do that, or undefined when it may. `id` undefined: the whole kind. */
export function checkRuntimeAccess(
  daemon: ChildDaemon,
  verb: ResourceVerb,
  { namespace, type, id }: KindRef & { readonly id?: string },
): Fault | undefined {
  // Without a code of their own, as upstream's, they arrive as Unknown.
  if (!isReadVerb(verb)) return new Fault('unknown', 'write access denied');
  const { resources, kinds } = readable[daemon];
  const isReadable = [...kinds, ...resources.filter((resource) => resource.id === id)].some(
    (target) => target.namespace === namespace && target.type === type,
  );
  return isReadable ? undefined : new Fault('unknown', 'access denied');
}
