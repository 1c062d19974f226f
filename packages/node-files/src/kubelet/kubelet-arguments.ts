import type { KubeletConfigSpec } from '@nodewright/state/kinds';
import { type Flags, mergeArguments } from '../kubernetes/merge-arguments.ts';
import { kubeletPaths } from './kubelet-paths.ts';

/** What the kubelet registers as. */
export interface KubeletNode {
  readonly nodename: string;
  /** At most one IPv4 and one IPv6 address. */
  readonly addresses: readonly string[];
}

const rules = {
  component: 'kubelet',
  program: kubeletPaths.program,
  additive: new Set<string>(),
  denied: new Set([
    ...['bootstrap-kubeconfig', 'kubeconfig', 'container-runtime', 'container-runtime-endpoint'],
    ...['config', 'cert-dir'],
  ]),
};

/**
 * The flags of the kubelet. Source: Talos v1.14: kubelet service, flags.
 *
 * @throws Fault `invalid-argument` for a flag that the configuration must not set
 */
export function kubeletArguments(spec: KubeletConfigSpec, node: KubeletNode): string[] {
  return mergeArguments(ownFlags(spec, node), spec.extraArgs, rules).slice(1);
}

/** The name under which the node registers: a flag of the user wins. */
export function expectedNodename(
  { extraArgs }: Pick<KubeletConfigSpec, 'extraArgs'>,
  nodename: string,
): string {
  return extraArgs['hostname-override']?.values.at(-1) ?? nodename;
}

function ownFlags(spec: KubeletConfigSpec, { nodename, addresses }: KubeletNode): Flags {
  const hasProviders = Object.keys(spec.credentialProviderConfig).length > 0;
  return {
    config: kubeletPaths.config,
    'cert-dir': kubeletPaths.certificates,
    'hostname-override': nodename,
    ...(!spec.skipNodeRegistration && {
      'bootstrap-kubeconfig': kubeletPaths.bootstrapKubeconfig,
      kubeconfig: kubeletPaths.kubeconfig,
    }),
    ...(addresses.length > 0 && { 'node-ip': addresses.join(',') }),
    ...(spec.cloudProviderExternal && { 'cloud-provider': 'external' }),
    ...(hasProviders && {
      'image-credential-provider-config': kubeletPaths.credentialProviders,
      'image-credential-provider-bin-dir': kubeletPaths.credentialProviderPrograms,
    }),
  };
}
