import { encodeYaml } from '@nodewright/state';
import type { SchedulerConfigSpec } from '@nodewright/state/kinds';
import { mergeArguments } from './merge-arguments.ts';
import { podPaths } from './pod-paths.ts';

const kubeconfig = `${podPaths.secrets('kube-scheduler')}/kubeconfig`;

/** Flags with files, which the node alone sets. */
const files = {
  config: `${podPaths.config('kube-scheduler')}/scheduler-config.yaml`,
  'authentication-kubeconfig': kubeconfig,
  'authorization-kubeconfig': kubeconfig,
} as const;

const rules = {
  component: 'kube-scheduler',
  program: '/usr/local/bin/kube-scheduler',
  additive: new Set<string>(),
  denied: new Set(Object.keys(files)),
};

/**
 * The command line of kube-scheduler. Source: Talos v1.14: kube-scheduler, arguments.
 *
 * @throws Fault `invalid-argument` for a flag that the configuration must not set
 */
export function schedulerArguments(spec: SchedulerConfigSpec): string[] {
  return mergeArguments(
    {
      ...files,
      'authentication-tolerate-lookup-failure': 'false',
      'bind-address': '127.0.0.1',
      'leader-elect': 'true',
      profiling: 'false',
      'tls-min-version': 'VersionTLS13',
    },
    spec.extraArgs,
    rules,
  );
}

/**
 * The configuration file: that of the user, with the kubeconfig of the node.
 *
 * @param root the folder below which the program finds the files of the node; empty in a container
 */
export function schedulerConfigText({ config }: Pick<SchedulerConfigSpec, 'config'>, root: string): string {
  const client = config.clientConnection;
  return encodeYaml({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    ...config,
    clientConnection: { ...(typeof client === 'object' && client), kubeconfig: root + kubeconfig },
  });
}
