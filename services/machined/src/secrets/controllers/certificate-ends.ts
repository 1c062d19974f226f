import { type Controller, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import { type KindRef, pointerTo } from '@nodewright/state';
import {
  apiCertificates,
  diagnostics,
  etcdRootSecrets,
  etcdSecrets,
  kubernetesDynamicCerts,
  kubernetesRootSecrets,
  kubernetesSecrets,
  osRootSecrets,
  trustdCertificates,
} from '@nodewright/state/kinds';
import { certificateEndProblems, lastToEnd, type NamedCertificate } from '../domain/certificate-ends.ts';

/** How often to compare the ends with the clock, in ms. */
const lookMs = 3_600_000;

/** Diagnostics 30 and 7 days before a certificate of the node ends, because then something prevents its renewal. */
export function createCertificateEndsController(): Controller {
  return {
    name: 'secrets.CertificateEndsController',
    inputs: [
      weak(osRootSecrets),
      weak(apiCertificates),
      weak(trustdCertificates),
      weak(etcdRootSecrets),
      weak(etcdSecrets),
      weak(kubernetesRootSecrets),
      weak(kubernetesDynamicCerts),
      weak(kubernetesSecrets),
    ],
    outputs: [shared(diagnostics)],
    async reconcile(pass) {
      const problems = certificateEndProblems(await certificatesOf(pass), pass.now());
      await pass.replace(
        diagnostics,
        [...problems].map(([id, spec]) => ({ id, spec })),
      );
      pass.wakeAfter(lookMs);
    },
  };
}

async function certificatesOf(pass: ReconcilePass): Promise<NamedCertificate[]> {
  const spec = async <S>(kind: KindRef<S> & { readonly singleton: string }): Promise<S | undefined> =>
    (await pass.get(pointerTo(kind, kind.singleton)))?.spec;
  const os = await spec(osRootSecrets);
  const api = await spec(apiCertificates);
  const trustd = await spec(trustdCertificates);
  const etcd = await spec(etcdSecrets);
  const kubernetesRoot = await spec(kubernetesRootSecrets);
  const kubernetes = await spec(kubernetesDynamicCerts);
  const kubeconfigs = await spec(kubernetesSecrets);
  const pairs = {
    'the server apid': api?.server,
    'the client apid': api?.client,
    'the server trustd': trustd?.server,
    'the CA of etcd': (await spec(etcdRootSecrets))?.etcdCA,
    'the server etcd': etcd?.etcd,
    'the etcd member': etcd?.etcdPeer,
    'the client of etcd': etcd?.etcdAdmin,
    'the API server, as a client of etcd': etcd?.etcdAPIServer,
    'the CA of Kubernetes': kubernetesRoot?.issuingCA,
    'the aggregator CA of Kubernetes': kubernetesRoot?.aggregatorCA,
    'the API server': kubernetes?.apiServer,
    'the API server, as a client of kubelets': kubernetes?.apiServerKubeletClient,
    'the front proxy': kubernetes?.frontProxy,
  };
  const clients = {
    'the scheduler': kubeconfigs?.schedulerKubeconfig,
    'the controller manager': kubeconfigs?.controllerManagerKubeconfig,
    'the node, as a client of Kubernetes': kubeconfigs?.localhostAdminKubeconfig,
  };
  return [
    ...lastToEnd(
      'the CA of the API',
      [...(os?.acceptedCAs ?? []), os?.issuingCA].flatMap((ca) => (ca === undefined ? [] : [ca.crt])),
    ),
    ...Object.entries(pairs).flatMap(([name, pair]) =>
      pair === undefined ? [] : [{ name, certificate: pair.crt }],
    ),
    ...Object.entries(clients).flatMap(([name, text]) =>
      text === undefined ? [] : [{ name, certificate: clientCertificateOf(text) }],
    ),
  ];
}

/** PEM of the client in a kubeconfig. It is found without a parser: the node has written the text itself. */
function clientCertificateOf(kubeconfig: string): string {
  const data = /client-certificate-data: *"?([A-Za-z0-9+/=]+)/.exec(kubeconfig)?.[1] ?? '';
  return Buffer.from(data, 'base64').toString();
}
