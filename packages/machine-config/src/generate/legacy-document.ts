import type { ConfigDocument } from '../config-document.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { contractHas, currentContract } from '../version-contract.ts';
import type { YamlMap } from '../yaml/yaml-value.ts';
import type { GenerateInput } from './generate-options.ts';
import { legacyClusterParts, legacyMachineParts, legacyPair } from './legacy-parts.ts';

/**
 * Returns the v1alpha1 document. For the current contract it contains only the identity of the node and its
 * certificate authorities. For contracts up to 1.13 it contains almost everything.
 *
 * Source: Talos v1.14: gen config, document 1; version contracts.
 */
export function legacyDocument(input: GenerateInput): ConfigDocument {
  const { secrets, type, options = {}, contract = currentContract } = input;
  const isControlPlane = type === 'controlplane';
  const isWhole = !contractHas(contract, 'kubernetesDocuments');
  const withKubernetes = !options.skipKubernetesAndEtcd;
  const machine: YamlMap = {
    type,
    token: secrets.trustd.token,
    ca: legacyPair(secrets.certs.os, isControlPlane),
    certSANs: options.additionalSANs ?? [],
    features: { diskQuotaSupport: true },
    ...(isWhole ? legacyMachineParts(input) : {}),
  };
  const cluster: YamlMap = {
    token: withKubernetes && !options.withoutKubernetes ? secrets.secrets.bootstrapToken : undefined,
    etcd: withKubernetes && isControlPlane ? { ca: legacyPair(secrets.certs.etcd, true) } : undefined,
    ...(isWhole ? legacyClusterParts(input) : {}),
  };
  return { kind: legacyKind, value: { version: 'v1alpha1', debug: false, persist: true, machine, cluster } };
}
