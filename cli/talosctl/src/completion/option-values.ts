import type { Command, Option } from 'commander';
import { commandPath } from '../node-selection/command-path.ts';
import * as names from './asked-names.ts';
import * as lists from './closed-lists.ts';
import { files, free, type ValueSource } from './value-source.ts';

const nodeAddresses: ValueSource = { kind: 'asked', ask: names.nodeNames, isList: true };

/**
 * What the value of each option is. A key is the option, or the names of a command and the option where that command,
 * or those below it, take something else. A test asks for an entry for every option with a value.
 */
const optionValues: Readonly<Record<string, ValueSource>> = {
  '--actor-id': free,
  '--additional-sans': free,
  '--bpf-filter': free,
  '--ca': files,
  '--cert-fingerprint': free,
  '--check': free,
  '--cidr': free,
  '--cluster': free,
  '--config': files,
  '--config-patch': files,
  '--config-patch-control-plane': files,
  '--config-patch-controlplanes': files,
  '--config-patch-worker': files,
  '--config-patch-workers': files,
  '--context': { kind: 'asked', ask: names.contextNames },
  '--control-plane-nodes': nodeAddresses,
  '--controlplanes': free,
  '--crt': files,
  '--crt-ttl': free,
  '--csr': files,
  '--depth': free,
  '--dns-domain': free,
  '--drain-timeout': free,
  '--duration': free,
  '--encryption-recipients': free,
  '--endpoints': { kind: 'asked', ask: names.endpointNames, isList: true },
  '--file': files,
  '--from-controlplane-config': files,
  '--from-kubernetes-pki': files,
  '--hours': free,
  '--init-node': { kind: 'asked', ask: names.nodeNames },
  '--install-disk': free,
  '--install-image': free,
  '--interface': { kind: 'asked', ask: names.interfaceNames },
  '--ip': free,
  '--k8s-endpoint': free,
  '--key': files,
  '--kubernetes-bootstrap-token': free,
  '--kubernetes-version': free,
  '--mode': lists.applyModes,
  'reboot --mode': lists.rebootModes,
  'validate --mode': lists.validationModes,
  '--name': free,
  'cluster --name': { kind: 'asked', ask: names.clusterNames },
  '--namespace': free,
  'get --namespace': { kind: 'asked', ask: names.idsOf('namespaces') },
  'image --namespace': lists.imageNamespaces,
  '--nodes': nodeAddresses,
  '--num-workers': free,
  '--organization': free,
  'dashboard --output': lists.dashboardOutputs,
  'gen config --output': files,
  'inspect dependencies --output': lists.graphFormats,
  'machineconfig gen --output': files,
  'machineconfig patch --output': files,
  'pcap --output': files,
  'support --output': files,
  '--output-dir': files,
  '--output-file': files,
  '--output-types': lists.outputTypes,
  '--patch': files,
  '--patch-file': files,
  '--preset': lists.cgroupColumns,
  '--progress': lists.progressKinds,
  '--provisioner': lists.provisionerChoices,
  '--recover-from': files,
  '--registry-mirror': free,
  '--roles': lists.roleNames,
  '--schema-file': files,
  '--server': lists.booleans,
  '--siderov1-keys-dir': files,
  '--since': free,
  '--snaplen': free,
  '--sort': lists.processOrders,
  '--state': files,
  '--system-labels-to-wipe': lists.systemLabels,
  '--tail': free,
  '--talos-version': free,
  '--talosconfig': files,
  '--talosconfig-destination': files,
  '--threshold': free,
  '--timeout': free,
  '--type': lists.fileTypes,
  '--update-interval': free,
  '--user-disks-to-wipe': free,
  '--version': lists.configVersions,
  '--wait-timeout': free,
  '--wipe-mode': lists.wipeModes,
  '--with-secrets': files,
  '--worker-nodes': nodeAddresses,
  '--workers': free,
  'support --format': lists.summaryFormats,
};

/** Options that say how results are printed, where nothing else is known of them. */
const outputFlags = new Set(['--output', '--format']);

/** What the value of an option is; undefined for one that nobody has described. */
export function optionSource(command: Command, option: Option): ValueSource | undefined {
  const flag = option.long ?? option.short ?? '';
  const path = commandPath(command).split(' ');
  for (let count = path.length; count >= 0; count--) {
    const key = [...path.slice(0, count), flag].join(' ');
    if (Object.hasOwn(optionValues, key)) return optionValues[key];
  }
  return outputFlags.has(flag) ? lists.outputFormatsOf(path.join(' ')) : undefined;
}
