import type { Command, Option } from 'commander';
import { commandPath } from '../context/command-path.ts';
import * as names from './asked-names.ts';
import * as lists from './closed-lists.ts';
import { files, free, type ValueSource } from './value-source.ts';

const nodeAddresses: ValueSource = { kind: 'dynamic', find: names.nodeNames, isList: true };

/**
 * The candidates for the value of each option. A key is an option, or a command and an option, which applies to that
 * command and its subcommands only. A test checks that every option with a value has an entry.
 */
const optionValues: Readonly<Record<string, ValueSource>> = {
  '--actor-id': free,
  '--additional-sans': free,
  '--address': free,
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
  '--context': { kind: 'dynamic', find: names.contextNames },
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
  '--endpoints': { kind: 'dynamic', find: names.endpointNames, isList: true },
  '--extension-set': files,
  '--file': files,
  '--force-context-name': free,
  '--from-controlplane-config': files,
  '--from-kubernetes-pki': files,
  '--hours': free,
  '--image': free,
  '--image-cache-path': files,
  '--image-layer-cache-path': files,
  '--image-path': files,
  '--images': free,
  '--init-node': { kind: 'dynamic', find: names.nodeNames },
  '--install-disk': free,
  '--install-image': free,
  '--interface': { kind: 'dynamic', find: names.interfaceNames },
  '--ip': free,
  '--jaeger': free,
  '--k8s-endpoint': free,
  '--key': files,
  '--kubernetes-bootstrap-token': free,
  '--kubernetes-version': free,
  '--max-unavailable': free,
  '--method': lists.deviceWipeMethods,
  '--mode': lists.applyModes,
  'reboot --mode': lists.rebootModes,
  '--reboot-mode': lists.rebootModes,
  'validate --mode': lists.validationModes,
  '--layout': lists.cacheLayouts,
  '--mirror': free,
  '--name': free,
  'cluster --name': { kind: 'dynamic', find: names.clusterNames },
  '--namespace': free,
  'get --namespace': { kind: 'dynamic', find: names.idsOf('namespaces') },
  'image --namespace': lists.imageNamespaces,
  'upgrade --namespace': lists.imageNamespaces,
  '--node-image': free,
  '--nodes': nodeAddresses,
  '--num-workers': free,
  '--organization': free,
  'dashboard --output': lists.dashboardOutputs,
  'gen config --output': files,
  'inspect dependencies --output': lists.graphFormats,
  'machineconfig convert --output': files,
  'machineconfig convert --prove': lists.proofKinds,
  'machineconfig convert --to': free,
  'machineconfig gen --output': files,
  'machineconfig patch --output': files,
  'pcap --output': files,
  'support --output': files,
  '--output-dir': files,
  '--output-file': files,
  '--output-types': lists.outputTypes,
  '--patch': files,
  '--patch-file': files,
  '--pause-after': free,
  '--platform': free,
  '--port': free,
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
  '--tls-cert-file': files,
  '--tls-key-file': files,
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

/** Options that select the output format, unless they have an entry above. */
const outputFlags = new Set(['--output', '--format']);

/** The candidates for the value of an option; `undefined` for an option without an entry. */
export function optionSource(command: Command, option: Option): ValueSource | undefined {
  const flag = option.long ?? option.short ?? '';
  const path = commandPath(command).split(' ');
  for (let count = path.length; count >= 0; count--) {
    const key = [...path.slice(0, count), flag].join(' ');
    if (Object.hasOwn(optionValues, key)) return optionValues[key];
  }
  return outputFlags.has(flag) ? lists.outputFormatsOf(path.join(' ')) : undefined;
}
