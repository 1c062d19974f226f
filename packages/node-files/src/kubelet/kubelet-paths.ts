import { nodePaths } from '@nodewright/contract';

const { kubernetesFolder } = nodePaths;

/** Files and folders of the kubelet, the same on the node and in its container. Source: Talos v1.14: kubelet service. */
export const kubeletPaths = {
  program: '/usr/local/bin/kubelet',
  settings: kubernetesFolder,
  config: `${kubernetesFolder}/kubelet.yaml`,
  bootstrapKubeconfig: `${kubernetesFolder}/bootstrap-kubeconfig`,
  kubeconfig: `${kubernetesFolder}/kubeconfig-kubelet`,
  ca: `${kubernetesFolder}/pki/ca.crt`,
  credentialProviders: `${kubernetesFolder}/credential-provider-config.yaml`,
  credentialProviderPrograms: '/usr/local/lib/kubelet/credentialproviders',
  data: '/var/lib/kubelet',
  certificates: '/var/lib/kubelet/pki',
  /** Certificate and key of the kubelet for the API server, in one file. */
  clientCertificate: '/var/lib/kubelet/pki/kubelet-client-current.pem',
  containerLogs: '/var/log/containers',
  podLogs: '/var/log/pods',
} as const;

/** Source: Kubernetes: ports and protocols. */
export const kubeletPorts = { api: 10250, health: 10248 } as const;
