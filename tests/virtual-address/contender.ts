// A control plane that competes for virtual addresses: the code of machined, with links in the network namespace of another process.
// It talks to etcd in its own one. SIGTERM makes it resign.
import { systemTimers } from '@nodewright/async';
import { openEtcdClient } from '@nodewright/etcd';
import { openNamespaceOf } from '@nodewright/linux/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { worlds } from '../../services/machined/src/base/domain/world.ts';
import { createBorrowedAddress } from '../../services/machined/src/network/host/borrowed-address.ts';
import { createEtcdCampaign } from '../../services/machined/src/network/host/etcd-campaign.ts';
import { openKernelNetwork } from '../../services/machined/src/network/host/kernel-network.ts';
import { openNetworkPort } from '../../services/machined/src/network/host/network-port.ts';
import { VirtualAddresses } from '../../services/machined/src/network/host/virtual-addresses.ts';

export interface ContenderInit {
  readonly hostname: string;
  /** Pid of a process in its network namespace. */
  readonly namespaceOf: number;
  readonly endpoints: readonly string[];
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
  readonly addresses: readonly string[];
}

const { hostname, namespaceOf, endpoints, tls, addresses } = JSON.parse(
  process.env.CONTENDER ?? '{}',
) as ContenderInit;
const namespace = openNamespaceOf(namespaceOf);
const openEtcd = async () => openEtcdClient({ endpoints, tls, telemetry: noTelemetry });
const kernel = await openKernelNetwork();
const port = await openNetworkPort(worlds.container.networkSteps);
const virtual = new VirtualAddresses({
  campaign: createEtcdCampaign({ openEtcd, hostname: () => hostname }),
  async openAddress(id) {
    const { lend, remove, announce } = createBorrowedAddress(kernel, port, id);
    return {
      lend: (seconds) => namespace.run(() => lend(seconds)),
      remove: () => namespace.run(remove),
      announce: () => namespace.run(announce),
    };
  },
  // The members of etcd run outside of the nodes.
  yieldLeadership: async () => undefined,
  ...{ timers: systemTimers, monotonicMs: () => performance.now(), telemetry: noTelemetry },
  log: createLogger({ name: hostname, telemetry: noTelemetry, destination: process.stdout }),
});
virtual.adopt(addresses.map((ip) => ({ ip, linkName: 'eth0', obstacle: undefined })));
// The timers of machined do not keep a process alive.
const alive = setInterval(() => {}, 1000);
process.once('SIGTERM', async () => {
  await virtual[Symbol.asyncDispose]();
  clearInterval(alive);
});
