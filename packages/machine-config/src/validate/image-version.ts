import { kubernetesVersionProblem } from '../forms/image-reference.ts';
import type { CheckedDocument } from './checked-document.ts';

/** Kinds whose image tag is a version of Kubernetes. */
const kinds = [
  'KubeletConfig',
  'KubeAPIServerConfig',
  'KubeControllerManagerConfig',
  'KubeSchedulerConfig',
  'KubeProxyConfig',
];

/** Source: Talos v1.14: machine configuration, checks made only on a node. */
export function checkImageVersion(document: CheckedDocument): void {
  if (!kinds.includes(document.document.kind) || document.boolean('enabled') === false) return;
  const image = document.text('image');
  const problem = image === '' ? undefined : kubernetesVersionProblem(image);
  if (problem !== undefined) document.refuse(problem, 'image');
}
