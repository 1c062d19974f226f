import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field } from '../../spec/field-types.ts';

/** Readiness of the network. */
export const networkStatuses = defineKind({
  type: 'NetworkStatuses.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'status',
  aliases: ['netstatus', 'netstatuses'],
  printColumns: {
    Address: '{.addressReady}',
    Connectivity: '{.connectivityReady}',
    Hostname: '{.hostnameReady}',
    Etc: '{.etcFilesReady}',
  },
  spec: {
    /** The node has a current address. */
    addressReady: field(1, bool),
    /** All probes succeed or, without probes, a default route exists. */
    connectivityReady: field(2, bool),
    hostnameReady: field(3, bool),
    /** `hosts` and `resolv.conf` are written. */
    etcFilesReady: field(4, bool),
  },
});
export type NetworkStatusSpec = SpecOf<typeof networkStatuses>;
