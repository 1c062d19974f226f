import { etcdPorts } from '@nodewright/contract';
import type { EtcdClient, EtcdTls } from '@nodewright/etcd';
import { Fault } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import {
  type EtcdRootSecretSpec,
  type EtcdSecretSpec,
  endpoints,
  etcdRootSecrets,
  etcdSecrets,
  etcdSpecs,
} from '@nodewright/state/kinds';
import type { Telemetry } from '@nodewright/telemetry';
import { specOf } from '../../base/resources/spec-of.ts';
import { hostPort, localClientAddress } from '../domain/addresses.ts';

/** Opens etcd clients with the administrator certificate of this node. The caller disposes of each client. */
export interface EtcdAccess {
  /** Connects only to this node's own etcd. @throws Fault `failed-precondition` while the node has no etcd */
  openLocal(): Promise<EtcdClient>;
  /**
   * Connects to any member: this node's or those of other control planes.
   *
   * @throws Fault as `openLocal` does
   */
  openCluster(): Promise<EtcdClient>;
  /**
   * Connects to the given endpoints.
   *
   * @param endpoints `host:port`, at least one
   * @throws Fault as `openLocal` does
   */
  openAt(endpoints: readonly string[]): Promise<EtcdClient>;
  /**
   * The endpoints of this node's etcd: the local one first, then the advertised ones. Empty while the node
   * has none.
   */
  own(): Promise<readonly string[]>;
  /** The endpoints of the other known control planes, whether they run etcd or not. */
  others(): Promise<readonly string[]>;
}

/** Source: Talos v1.14: etcd, client endpoint discovery. */
export function createEtcdAccess(state: State, telemetry: Telemetry): EtcdAccess {
  const own = async () => {
    const spec = await specOf(state, pointerTo(etcdSpecs));
    if (spec === undefined) return [];
    const addresses = [localClientAddress(spec.listenClientAddresses), ...spec.advertisedAddresses];
    return [...new Set(addresses)].map((address) => hostPort(address, etcdPorts.client));
  };
  const others = async () => {
    const all = (await state.list(endpoints)).flatMap(({ spec }) => [...spec.addresses, ...spec.hosts]);
    const known = [...new Set(all)].map((address) => hostPort(address, etcdPorts.client));
    const mine = await own();
    return known.filter((endpoint) => !mine.includes(endpoint));
  };
  const openAt = async (targets: readonly string[]) => {
    const [tls, { openEtcdClient }] = await Promise.all([
      tlsOf(await specOf(state, pointerTo(etcdRootSecrets)), await specOf(state, pointerTo(etcdSecrets))),
      // Loaded on demand, because most nodes run no etcd and never need this module.
      import('@nodewright/etcd'),
    ]);
    return openEtcdClient({ endpoints: targets, tls, telemetry, dialTimeoutMs });
  };
  const openLocal = async () => {
    const [local] = await own();
    if (local === undefined) throw new Fault('failed-precondition', noEtcd);
    return openAt([local]);
  };
  const openCluster = async () => {
    const [local] = await own();
    if (local === undefined) throw new Fault('failed-precondition', noEtcd);
    return openAt([local, ...(await others())]);
  };
  return { openLocal, openCluster, openAt, own, others };
}

/** Source: Talos v1.14: etcd, client endpoint discovery. */
const dialTimeoutMs = 5000;
const noEtcd =
  'this node has no etcd: it is not a control plane, or its configuration and addresses are not known yet';

function tlsOf(root: EtcdRootSecretSpec | undefined, secrets: EtcdSecretSpec | undefined): EtcdTls {
  const ca = root?.etcdCA;
  const admin = secrets?.etcdAdmin;
  if (ca === undefined || admin === undefined) throw new Fault('failed-precondition', noEtcd);
  return { ca: ca.crt, cert: admin.crt, key: admin.key };
}
