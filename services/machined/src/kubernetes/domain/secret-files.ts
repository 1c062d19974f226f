import { createPublicKey } from 'node:crypto';
import type {
  EtcdRootSecretSpec,
  EtcdSecretSpec,
  KubernetesDynamicCertSpec,
  KubernetesRootSecretSpec,
  KubernetesSecretSpec,
} from '@nodewright/state/kinds';
import type { ComponentFiles } from './component-files.ts';

export interface SecretSources {
  readonly root: KubernetesRootSecretSpec;
  readonly etcdRoot: EtcdRootSecretSpec;
  readonly secrets: KubernetesSecretSpec;
  readonly dynamic: KubernetesDynamicCertSpec;
  readonly etcd: EtcdSecretSpec;
  /** The EncryptionConfiguration. */
  readonly encryption: string;
}

/**
 * The files with certificates, keys and kubeconfigs that the components read; `undefined` while a part is missing.
 * Source: Talos v1.14: static pods, secrets files.
 */
export function secretFiles(sources: SecretSources): ComponentFiles | undefined {
  const { root, etcdRoot, secrets, dynamic, etcd, encryption } = sources;
  const { issuingCA, aggregatorCA, serviceAccount } = root;
  const { apiServer, apiServerKubeletClient, frontProxy } = dynamic;
  const etcdCA = etcdRoot.etcdCA;
  const etcdClient = etcd.etcdAPIServer;
  if (issuingCA === undefined || aggregatorCA === undefined || serviceAccount === undefined) return undefined;
  if (apiServer === undefined || apiServerKubeletClient === undefined || frontProxy === undefined)
    return undefined;
  if (etcdCA === undefined || etcdClient === undefined) return undefined;
  const ca = bundleOf(root.acceptedCAs);
  return {
    'kube-apiserver': {
      'etcd-client-ca.crt': etcdCA.crt,
      ...pairFiles('etcd-client', etcdClient),
      'ca.crt': ca,
      ...pairFiles('apiserver', apiServer),
      ...pairFiles('apiserver-kubelet-client', apiServerKubeletClient),
      'service-account.pub': publicKeys(serviceAccount.key, root.serviceAccountAcceptedKeys),
      'service-account.key': serviceAccount.key,
      'aggregator-ca.crt': bundleOf(root.acceptedAggregatorCAs),
      ...pairFiles('front-proxy-client', frontProxy),
      'encryptionconfig.yaml': encryption,
    },
    'kube-controller-manager': {
      'ca.crt': ca,
      'ca.key': issuingCA.key,
      'service-account.key': serviceAccount.key,
      kubeconfig: secrets.controllerManagerKubeconfig,
    },
    'kube-scheduler': { kubeconfig: secrets.schedulerKubeconfig },
  };
}

function pairFiles(name: string, { crt, key }: { readonly crt: string; readonly key: string }) {
  return { [`${name}.crt`]: crt, [`${name}.key`]: key };
}

/** Several certificates in one file. */
export function bundleOf(certificates: readonly { readonly crt: string }[]): string {
  return certificates.map(({ crt }) => (crt.endsWith('\n') ? crt : `${crt}\n`)).join('');
}

/** The public keys that verify tokens: that of the signing key first. */
function publicKeys(signing: string, accepted: readonly { readonly key: string }[]): string {
  const own = createPublicKey(signing).export({ type: 'spki', format: 'pem' }).toString();
  return bundleOf([{ crt: own }, ...accepted.map(({ key }) => ({ crt: key }))]);
}
