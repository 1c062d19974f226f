import { isPrefixText } from '../../forms/ip-text.ts';
import { parseUrl } from '../../forms/url-text.ts';
import type { CheckedDocument } from '../checked-document.ts';
import { checkRoles } from '../documents/kubernetes-rules.ts';
import { isFilter } from '../documents/network-rules.ts';
import { checkNodeMetadata } from '../node-metadata.ts';
import { checkProtectedFields } from '../protected-fields.ts';
import { checkRuntimeSpec } from '../runtime-spec.ts';

/**
 * Checks the fields of `machine`, except links and installation. Source: Talos v1.14: legacy document rules.
 */
export function checkMachine(legacy: CheckedDocument, isControlPlane: boolean): void {
  const machine = legacy.at('machine');
  checkFeatures(machine, isControlPlane);
  checkKubeSpan(machine);
  checkDisks(machine);
  checkKubelet(machine);
  checkEncryption(machine);
  checkLogging(machine);
  checkExtensions(machine);
  checkNodeMetadata(machine, {
    labels: ['nodeLabels'],
    annotations: ['nodeAnnotations'],
    taints: ['nodeTaints'],
  });
  checkRuntimeSpec(machine, 'baseRuntimeSpecOverrides');
  for (const [key, instead] of [
    ['files', 'EtcFileConfig or CRICustomizationConfig'],
    ['baseRuntimeSpecOverrides', 'CRIBaseRuntimeSpecConfig'],
  ] as const) {
    const value = machine.value(key);
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
      machine.warn(`is deprecated: use ${instead}`, key);
  }
}

function checkFeatures(machine: CheckedDocument, isControlPlane: boolean): void {
  const features = machine.at('features');
  if (features.boolean('hostDNS', 'forwardKubeDNSToHost') && !features.boolean('hostDNS', 'enabled'))
    features.refuse('needs hostDNS.enabled', 'hostDNS', 'forwardKubeDNSToHost');
  if (features.boolean('kubernetesTalosAPIAccess', 'enabled') && !isControlPlane)
    features.refuse('is for control planes only', 'kubernetesTalosAPIAccess');
  checkRoles(features, 'kubernetesTalosAPIAccess', 'allowedRoles');
  const algorithm = features.text('nodeAddressSortAlgorithm');
  if (!['', 'v1', 'v2'].includes(algorithm)) features.refuse('must be v1 or v2', 'nodeAddressSortAlgorithm');
}

function checkKubeSpan(machine: CheckedDocument): void {
  const kubeSpan = machine.at('network', 'kubespan');
  if (!kubeSpan.boolean('enabled')) return;
  const mtu = kubeSpan.integer('mtu') ?? 0;
  if (mtu !== 0 && mtu < 1280) kubeSpan.refuse('must be at least 1280', 'mtu');
  for (const [at, filter] of kubeSpan.texts('filters', 'endpoints').entries())
    if (!isFilter(filter))
      kubeSpan.refuse('must be a prefix or address, "!" negates', 'filters', 'endpoints', at);
  for (const [at, prefix] of kubeSpan.texts('filters', 'excludeAdvertisedNetworks').entries())
    if (!isPrefixText(prefix))
      kubeSpan.refuse('must be a prefix', 'filters', 'excludeAdvertisedNetworks', at);
}

/** Only the last partition of a disk may omit its size and take the remaining space. */
function checkDisks(machine: CheckedDocument): void {
  for (const disk of machine.items('disks')) {
    const partitions = disk.items('partitions');
    for (const partition of partitions.slice(0, -1))
      if (['', '0'].includes(String(partition.value('size') ?? '')))
        partition.refuse('is required on every partition but the last', 'size');
  }
}

function checkKubelet(machine: CheckedDocument): void {
  for (const [at, subnet] of machine.texts('kubelet', 'nodeIP', 'validSubnets').entries())
    if (!isFilter(subnet))
      machine.refuse('must be a prefix or address, "!" negates', 'kubelet', 'nodeIP', 'validSubnets', at);
  checkProtectedFields(machine, 'kubelet', 'extraConfig');
}

function checkEncryption(machine: CheckedDocument): void {
  for (const partition of ['state', 'ephemeral']) {
    if (!machine.has('systemDiskEncryption', partition)) continue;
    const keys = machine.items('systemDiskEncryption', partition, 'keys');
    if (keys.length === 0)
      machine.refuse('needs at least one key', 'systemDiskEncryption', partition, 'keys');
    const slots = new Set<number>();
    for (const key of keys) {
      const slot = key.integer('slot') ?? 0;
      if (slots.has(slot)) key.refuse('is used twice', 'slot');
      slots.add(slot);
      if (!['static', 'nodeID', 'kms', 'tpm'].some((method) => key.has(method)))
        key.refuse('needs one of static, nodeID, kms, tpm');
    }
  }
}

function checkLogging(machine: CheckedDocument): void {
  for (const destination of machine.items('logging', 'destinations')) {
    if (destination.require('endpoint')) {
      const url = parseUrl(destination.text('endpoint'));
      if (!url?.host || !['tcp', 'udp'].includes(url.scheme))
        destination.refuse('must be a URL with scheme tcp or udp and a host', 'endpoint');
    }
    if (destination.text('format') !== 'json_lines') destination.refuse('must be json_lines', 'format');
  }
}

function checkExtensions(machine: CheckedDocument): void {
  const extensions = machine.items('install', 'extensions');
  if (extensions.length > 0)
    machine.warn('is deprecated: use an image that contains the extensions', 'install', 'extensions');
  const images = new Set<string>();
  for (const extension of extensions) {
    const image = extension.text('image');
    if (images.has(image)) extension.refuse('is given twice', 'image');
    images.add(image);
  }
}
