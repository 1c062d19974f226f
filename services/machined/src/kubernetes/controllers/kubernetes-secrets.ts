import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  type KubernetesRootSecretSpec,
  kubernetesRootSecrets,
  kubernetesSecrets,
  timeStatuses,
} from '@nodewright/state/kinds';
import { issueLocally } from '../../secrets/controllers/issue-locally.ts';
import type { CertificateSpec } from '../../secrets/domain/certificate-specs.ts';
import { kubeconfigText } from '../domain/kubeconfig.ts';
import {
  controllerManagerCertificate,
  nodeAdminCertificate,
  schedulerCertificate,
} from '../domain/kubernetes-certificates.ts';
import { bundleOf } from '../domain/secret-files.ts';
import { openIssuedForKubernetes } from './issued-for-kubernetes.ts';

const output = pointerTo(kubernetesSecrets);
const root = pointerTo(kubernetesRootSecrets);

/**
 * Issues the kubeconfigs of the components and of the node itself. Their certificates are valid for a year, and renewed
 * after half of it. Source: Talos v1.14: secrets.KubernetesController.
 *
 * @param ownAddress address at which the components reach an API server, set when other nodes share the host. KubePrism passes
 * them to the API servers of all control planes, whose certificates do not have that address.
 */
export function createKubernetesSecretsController(ownAddress: string | undefined): Controller {
  const localName = ownAddress === undefined ? undefined : 'localhost';
  const issued = openIssuedForKubernetes();
  return {
    name: 'secrets.KubernetesController',
    inputs: [weak(kubernetesRootSecrets, root.id), weak(timeStatuses)],
    outputs: [exclusive(kubernetesSecrets)],
    async reconcile(pass) {
      const secrets = (await pass.get(root))?.spec;
      if (secrets?.issuingCA === undefined) {
        issued.forget();
        return pass.replace(kubernetesSecrets, []);
      }
      const time = (await pass.get(pointerTo(timeStatuses)))?.spec;
      if (!time?.synced) return;
      const { name, endpoint, local_endpoint, issuingCA, acceptedCAs } = secrets;
      const inputs = { name, endpoint, local_endpoint, issuingCA, acceptedCAs, epoch: time.epoch };
      const nowMs = pass.now();
      if (!issued.isCurrent(inputs, nowMs)) {
        const local = secrets.local_endpoint ?? '';
        const kubeconfig = kubeconfigMaker(secrets, issuingCA, nowMs);
        const [scheduler, controllerManager, localhostAdmin, admin] = await Promise.all([
          kubeconfig(schedulerCertificate, local, localName),
          kubeconfig(controllerManagerCertificate, local, localName),
          kubeconfig(nodeAdminCertificate, local, localName),
          kubeconfig(nodeAdminCertificate, secrets.endpoint ?? ''),
        ]);
        const spec = {
          schedulerKubeconfig: scheduler,
          controllerManagerKubeconfig: controllerManager,
          localhostAdminKubeconfig: localhostAdmin,
          adminKubeconfig: admin,
        };
        await pass.put({ ...output, spec });
        issued.remember(inputs, nowMs);
        pass.log.info('kubeconfigs of the control plane issued');
      }
      pass.wakeAfter(issued.delayMs(nowMs));
    },
  };
}

function kubeconfigMaker(
  { name, acceptedCAs }: KubernetesRootSecretSpec,
  issuingCA: NonNullable<KubernetesRootSecretSpec['issuingCA']>,
  nowMs: number,
) {
  return async (certificate: CertificateSpec, server: string, serverName?: string) => {
    const { crt, key } = await issueLocally(issuingCA, certificate, nowMs);
    const user = certificate.commonName;
    const context = `${user}@${name}`;
    return kubeconfigText({
      ...{ cluster: name, server, serverName, user, context, key },
      ca: bundleOf(acceptedCAs),
      certificate: crt,
    });
  };
}
