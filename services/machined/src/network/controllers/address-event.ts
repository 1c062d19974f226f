import { type Controller, type ReconcilePass, weak } from '@nodewright/controllers';
import { fullHostname } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { hostnameStatuses, nodeAddresses } from '@nodewright/state/kinds';
import { addressOf } from '../../base/domain/prefix.ts';
import type { NodeEvent } from '../../life/domain/node-event.ts';

/** Source: Talos v1.14: events, address event. */
const intervalMs = 10 * 60_000;

/**
 * Publishes an event with the node's name and addresses after each change of them, and repeats it
 * periodically. Source: Talos v1.14: network.AddressEventController.
 */
export function createAddressEventController(publish: (event: NodeEvent) => void): Controller {
  let told = '';
  /** By the monotonic clock. */
  let toldMs = 0;
  return {
    name: 'network.AddressEventController',
    inputs: [weak(nodeAddresses), weak(hostnameStatuses, hostnameStatuses.singleton)],
    outputs: [],
    async reconcile(pass) {
      const hostname = await pass.get(pointerTo(hostnameStatuses));
      const addresses = await addressesOf(pass);
      if (hostname === undefined || addresses.length === 0) return;
      const event: NodeEvent = { kind: 'address', hostname: fullHostname(hostname.spec), addresses };
      const text = JSON.stringify(event);
      // A wake-up without a change of the event publishes nothing.
      if (text !== told || pass.monotonicMs() - toldMs >= intervalMs) {
        publish(event);
        told = text;
        toldMs = pass.monotonicMs();
      }
      pass.wakeAfter(toldMs + intervalMs - pass.monotonicMs());
    },
  };
}

/** Addresses of Kubernetes are left out; while its networks are unknown, none are. */
async function addressesOf(pass: ReconcilePass): Promise<string[]> {
  const of = async (id: string) => (await pass.get(pointerTo(nodeAddresses, id)))?.spec.addresses;
  return ((await of('current-no-k8s')) ?? (await of('current')) ?? []).map(addressOf);
}
