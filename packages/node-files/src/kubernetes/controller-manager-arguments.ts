import type { ControllerManagerConfigSpec } from '@nodewright/state/kinds';
import { mergeArguments } from './merge-arguments.ts';
import { podPaths } from './pod-paths.ts';
import { hasFamily } from './service-addresses.ts';

const secrets = podPaths.secrets('kube-controller-manager');

/** Flags with files, which the node alone sets. */
const files = {
  'cluster-signing-cert-file': `${secrets}/ca.crt`,
  'cluster-signing-key-file': `${secrets}/ca.key`,
  'authentication-kubeconfig': `${secrets}/kubeconfig`,
  'authorization-kubeconfig': `${secrets}/kubeconfig`,
  kubeconfig: `${secrets}/kubeconfig`,
  'root-ca-file': `${secrets}/ca.crt`,
  'service-account-private-key-file': `${secrets}/service-account.key`,
} as const;

const rules = {
  component: 'kube-controller-manager',
  program: '/usr/local/bin/kube-controller-manager',
  additive: new Set(['controllers', 'service-cluster-ip-range']),
  denied: new Set(Object.keys(files)),
};

/**
 * The command line of kube-controller-manager. Source: Talos v1.14: kube-controller-manager, arguments.
 *
 * @throws Fault `invalid-argument` for a flag that the configuration must not set
 */
export function controllerManagerArguments(spec: ControllerManagerConfigSpec): string[] {
  const { podCIDRs, serviceCIDRs, nodeCIDRMaskSizeIPv4: mask4, nodeCIDRMaskSizeIPv6: mask6 } = spec;
  return mergeArguments(
    {
      ...files,
      'use-service-account-credentials': 'true',
      'allocate-node-cidrs': 'true',
      'bind-address': '127.0.0.1',
      'cluster-cidr': podCIDRs.join(','),
      'service-cluster-ip-range': serviceCIDRs.join(','),
      controllers: '*',
      'configure-cloud-routes': 'false',
      'leader-elect': 'true',
      profiling: 'false',
      'terminated-pod-gc-threshold': '100',
      'tls-min-version': 'VersionTLS13',
      ...(spec.cloudProvider !== '' && { 'cloud-provider': spec.cloudProvider }),
      // The program refuses the mask of a family that the pods do not have.
      ...(mask4 > 0 && hasFamily(podCIDRs, 4) && { 'node-cidr-mask-size-ipv4': String(mask4) }),
      ...(mask6 > 0 && hasFamily(podCIDRs, 6) && { 'node-cidr-mask-size-ipv6': String(mask6) }),
    },
    spec.extraArgs,
    rules,
  );
}
