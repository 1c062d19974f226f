import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field } from '../../spec/field-types.ts';

/** What of the network is ready. */
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
    /** Has a current address. */
    addressReady: field(1, bool),
    /** Probes pass, or a default route exists. */
    connectivityReady: field(2, bool),
    hostnameReady: field(3, bool),
    /** Hosts and resolv.conf written. */
    etcFilesReady: field(4, bool),
  },
});
export type NetworkStatusSpec = SpecOf<typeof networkStatuses>;
