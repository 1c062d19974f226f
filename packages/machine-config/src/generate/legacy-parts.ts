import { base64FromPem } from '../secrets/encode-secrets.ts';
import type { CertificateAndKey } from '../secrets/secrets-bundle.ts';
import { type ContractFeature, contractHas, currentContract } from '../version-contract.ts';
import type { YamlMap } from '../yaml/yaml-value.ts';
import {
  clusterSubnets,
  defaultDnsDomain,
  defaultInstallDisk,
  type GenerateInput,
  kubernetesImages,
} from './generate-options.ts';
import { auditPolicy, loadBalancerLabel, podSecurityConfiguration } from './kubernetes-policies.ts';

// Fields that contracts up to 1.13 write into the v1alpha1 document, and later contracts write as separate
// documents. The encoder orders the keys by the schema, not by this file. Source: Talos v1.14: version
// contracts.

/** Encodes a certificate and key as base64 of PEM. Without the key, `key` is an empty text. */
export function legacyPair(pair: CertificateAndKey, withKey: boolean): YamlMap {
  return { crt: base64FromPem(pair.certificate), key: withKey ? base64FromPem(pair.key) : '' };
}

/** The additional fields of `machine`. */
export function legacyMachineParts(input: GenerateInput): YamlMap {
  const { options = {}, type } = input;
  const has = featuresOf(input);
  const withKubernetes = !options.skipKubernetesAndEtcd;
  const hasLabel = withKubernetes && type === 'controlplane' && has('loadBalancerLabel');
  const network = { kubespan: options.kubeSpan ? { enabled: true } : undefined };
  return {
    kubelet: withKubernetes ? kubelet(input) : undefined,
    network: has('kubeSpanDocument') ? undefined : network,
    install: installation(input),
    sysctls: options.sysctls,
    registries: has('documents') ? undefined : registries(input),
    features: {
      rbac: whenTrue(!has('impliedFeatures')),
      stableHostname: whenTrue(has('stableHostname') && !has('documents')),
      apidCheckExtKeyUsage: whenTrue(has('extKeyUsageCheck') && !has('impliedFeatures')),
      diskQuotaSupport: whenTrue(has('diskQuota')),
      kubePrism: has('kubePrism') && withKubernetes ? { enabled: true, port: 7445 } : undefined,
      hostDNS: has('hostDNS')
        ? { enabled: true, forwardKubeDNSToHost: whenTrue(has('forwardKubeDNS')) }
        : undefined,
    },
    nodeLabels: hasLabel ? loadBalancerLabel : undefined,
  };
}

/** The additional fields of `cluster`. */
export function legacyClusterParts(input: GenerateInput): YamlMap {
  const { secrets, options = {}, type } = input;
  const withKubernetes = !options.skipKubernetesAndEtcd;
  return {
    id: secrets.cluster.id,
    secret: secrets.cluster.secret,
    ...(withKubernetes ? kubernetesOfEveryNode(input) : {}),
    ...(withKubernetes && type === 'controlplane' ? kubernetesOfControlPlane(input) : {}),
    discovery: {
      enabled: options.clusterDiscovery !== false,
      registries: {
        kubernetes: { disabled: whenTrue(featuresOf(input)('disabledKubernetesRegistry')) },
        service: {},
      },
    },
  };
}

function featuresOf({ contract = currentContract }: GenerateInput): (feature: ContractFeature) => boolean {
  return (feature) => contractHas(contract, feature);
}

function whenTrue(condition: boolean): true | undefined {
  return condition || undefined;
}

function kubelet(input: GenerateInput): YamlMap {
  const has = featuresOf(input);
  return {
    image: kubernetesImages(input.options ?? {}).kubelet,
    defaultRuntimeSeccompProfileEnabled: whenTrue(has('seccompProfile')),
    disableManifestsDirectory: whenTrue(has('disableManifestsDirectory')),
  };
}

function installation(input: GenerateInput): YamlMap | undefined {
  const disk = input.options?.installDisk ?? defaultInstallDisk;
  if (disk === '') return undefined;
  const grubUseUKICmdline = whenTrue(featuresOf(input)('grubUseUKICmdline'));
  return { disk, image: input.options?.installImage, wipe: false, grubUseUKICmdline };
}

function registries({ contract = currentContract, options = {} }: GenerateInput): YamlMap | undefined {
  // The mirrors of contract 1.2 cover the move of the Kubernetes images to another registry.
  const moved =
    contract.minor === 2 ? { 'k8s.gcr.io': ['https://registry.k8s.io', 'https://k8s.gcr.io'] } : {};
  const mirrors = Object.entries({ ...moved, ...options.registryMirrors });
  if (mirrors.length === 0) return undefined;
  return { mirrors: Object.fromEntries(mirrors.map(([host, endpoints]) => [host, { endpoints }])) };
}

function kubernetesOfEveryNode(input: GenerateInput): YamlMap {
  const { secrets, options = {}, type, endpoint, clusterName } = input;
  const isControlPlane = type === 'controlplane';
  return {
    controlPlane: { endpoint, localAPIServerPort: options.localAPIServerPort },
    clusterName: isControlPlane || featuresOf(input)('clusterNameOnWorkers') ? clusterName : undefined,
    network: {
      cni: options.customCNI ? { name: 'custom', urls: options.customCNI } : undefined,
      dnsDomain: options.dnsDomain ?? defaultDnsDomain,
      ...clusterSubnets(options),
    },
    ca: legacyPair(secrets.certs.kubernetes, isControlPlane),
  };
}

function kubernetesOfControlPlane(input: GenerateInput): YamlMap {
  const { secrets, options = {} } = input;
  const { secretboxEncryptionSecret, aescbcEncryptionSecret } = secrets.secrets;
  const images = kubernetesImages(options);
  const allowScheduling = whenTrue(options.allowSchedulingOnControlPlanes === true);
  const hasNewName = featuresOf(input)('schedulingOnControlPlanesKey');
  return {
    aescbcEncryptionSecret,
    secretboxEncryptionSecret,
    aggregatorCA: legacyPair(secrets.certs.kubernetesAggregator, true),
    serviceAccount: { key: base64FromPem(secrets.certs.kubernetesServiceAccount.key) },
    apiServer: apiServer(input),
    controllerManager: { image: images.controllerManager },
    proxy: { image: images.proxy },
    scheduler: { image: images.scheduler },
    allowSchedulingOnMasters: hasNewName ? undefined : allowScheduling,
    allowSchedulingOnControlPlanes: hasNewName ? allowScheduling : undefined,
  };
}

function apiServer(input: GenerateInput): YamlMap {
  const { options = {}, endpoint } = input;
  const has = featuresOf(input);
  const endpointName = has('impliedFeatures') ? [] : [new URL(endpoint).hostname.replace(/^\[|\]$/g, '')];
  return {
    image: kubernetesImages(options).apiServer,
    certSANs: [...endpointName, ...(options.additionalSANs ?? [])],
    disablePodSecurityPolicy: whenTrue(!has('impliedFeatures')),
    admissionControl: has('podSecurity')
      ? [{ name: 'PodSecurity', configuration: podSecurityConfiguration }]
      : [],
    auditPolicy: has('auditPolicy') ? auditPolicy : undefined,
  };
}
