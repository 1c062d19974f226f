// kube-proxy. Source: Talos v1.14: bootstrap manifests, kube-proxy.
import type { JsonObject } from '@nodewright/state';
import type { BootstrapManifestsConfigSpec } from '@nodewright/state/kinds';
import { accountBinding, serviceAccount } from './rbac.ts';
import { daemonSet, fieldVariable, hostFolder } from './workloads.ts';

/** The file with the kubeconfig of the manifest `kubeconfig-in-cluster`, in the pod. */
export const proxyKubeconfig = '/etc/kubernetes/kubeconfig';
/** The file with the configuration of kube-proxy, in the pod. */
export const proxyConfigFile = '/var/lib/kube-proxy/config.conf';

const name = 'kube-proxy';

export function kubeProxyObjects(spec: BootstrapManifestsConfigSpec): JsonObject[] {
  const hasConfig = Object.keys(spec.proxyConfig).length > 0;
  return [
    serviceAccount(name),
    accountBinding(name, 'system:node-proxier', name),
    ...(hasConfig
      ? [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name, namespace: 'kube-system' },
            // JSON is YAML, too.
            data: { 'config.conf': JSON.stringify(spec.proxyConfig, null, 2) },
          },
        ]
      : []),
    daemonSet({
      name,
      labels: { tier: 'node', 'k8s-app': name },
      // The pods restart when their configuration changes, which they read only once.
      ...(spec.proxyConfigChecksum !== '' && {
        annotations: { 'checksum/config': spec.proxyConfigChecksum },
      }),
      pod: podOf(spec, hasConfig),
    }),
  ];
}

function podOf(spec: BootstrapManifestsConfigSpec, hasConfig: boolean): JsonObject {
  const mounts = [
    { name: 'lib-modules', mountPath: '/lib/modules', readOnly: true },
    { name: 'ssl-certs-host', mountPath: '/etc/ssl/certs', readOnly: true },
    { name: 'kubeconfig', mountPath: '/etc/kubernetes', readOnly: true },
    ...(hasConfig ? [{ name: 'config', mountPath: '/var/lib/kube-proxy', readOnly: true }] : []),
  ];
  return {
    serviceAccountName: name,
    containers: [
      {
        name,
        image: spec.proxyImage,
        command: ['/usr/local/bin/kube-proxy', ...spec.proxyArgs],
        env: [fieldVariable('NODE_NAME', 'spec.nodeName'), fieldVariable('POD_IP', 'status.podIP')],
        resources: { requests: spec.proxyResources.requests, limits: spec.proxyResources.limits },
        securityContext: { privileged: true },
        volumeMounts: mounts,
      },
    ],
    volumes: [
      hostFolder('lib-modules', '/usr/lib/modules'),
      hostFolder('ssl-certs-host', '/etc/ssl/certs'),
      { name: 'kubeconfig', configMap: { name: 'kubeconfig-in-cluster' } },
      ...(hasConfig ? [{ name: 'config', configMap: { name } }] : []),
    ],
  };
}
