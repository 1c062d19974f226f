import type { YamlMap } from '../yaml/yaml-value.ts';

// Free-form parts shared by the legacy document and the Kubernetes documents. Source: Talos v1.14: gen
// config; Kubernetes: Pod Security admission, audit policy.

export const podSecurityConfiguration: YamlMap = {
  apiVersion: 'pod-security.admission.config.k8s.io/v1alpha1',
  kind: 'PodSecurityConfiguration',
  defaults: {
    audit: 'restricted',
    'audit-version': 'latest',
    enforce: 'baseline',
    'enforce-version': 'latest',
    warn: 'restricted',
    'warn-version': 'latest',
  },
  exemptions: { namespaces: ['kube-system'], runtimeClasses: [], usernames: [] },
};

export const auditPolicy: YamlMap = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [{ level: 'Metadata' }],
};

export const loadBalancerLabel: YamlMap = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
