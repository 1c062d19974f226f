import { Fault } from '@nodewright/fault';
import { type KindRef, type Pointer, pointerTo } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  apiWaits,
  etcdSpecs,
  hostnameStatuses,
  imageCacheConfigs,
  members,
  nodeAddresses,
  osRootSecrets,
  registryConfigs,
  trustdCertificates,
} from '@nodewright/state/kinds';
import { isReadVerb, type ResourceVerb } from '../../access/domain/resource-access.ts';
import type { RuntimeDaemon } from './daemon-command.ts';

interface Readable {
  readonly resources: readonly Pointer[];
  /** Kinds of which a daemon may read every resource. */
  readonly kinds: readonly KindRef[];
}

/**
 * The resources that each daemon may read over its own socket: single resources or whole kinds, and exactly
 * those that it follows. Other than in Talos, apid may read the members, to find nodes by name, and why its certificate waits; of addresses
 * and names only the one set and the one status that it uses. Source: Talos v1.14: private runtime sockets.
 */
const readable: Readonly<Record<RuntimeDaemon, Readable>> = {
  apid: {
    resources: [
      ...[pointerTo(apiServiceConfigs), pointerTo(apiCertificates), pointerTo(apiWaits)],
      ...[pointerTo(nodeAddresses, 'current'), pointerTo(hostnameStatuses)],
    ],
    kinds: [members],
  },
  registryd: {
    resources: [pointerTo(registryConfigs), pointerTo(imageCacheConfigs), pointerTo(etcdSpecs)],
    kinds: [],
  },
  trustd: { resources: [pointerTo(trustdCertificates), pointerTo(osRootSecrets)], kinds: [] },
};

/**
 * Returns why a daemon is denied access, or `undefined` if it is allowed. Without an `id` the request is for
 * the whole kind.
 */
export function checkRuntimeAccess(
  daemon: RuntimeDaemon,
  verb: ResourceVerb,
  { namespace, type, id }: KindRef & { readonly id?: string },
): Fault | undefined {
  // Like upstream's, these errors have no status code of their own, so clients receive Unknown.
  if (!isReadVerb(verb)) return new Fault('unknown', 'write access denied');
  const { resources, kinds } = readable[daemon];
  const isReadable = [...kinds, ...resources.filter((resource) => resource.id === id)].some(
    (target) => target.namespace === namespace && target.type === type,
  );
  return isReadable ? undefined : new Fault('unknown', 'access denied');
}
