// Features that our nodes lack, and how the client reports that, such as container images, which nodes of
// processes lack.
import { prints, refuses } from '../check.ts';

const noRuntime = 'no container runtime runs on this node: its services are processes';
const process = { only: ['process'] } as const;
const containerAndMachine = { only: ['docker', 'qemu'] } as const;
const onlyUpgradable =
  'only machines with a disk of their own, and the nodes of clusters of processes or of one container each, are upgraded by calls: create it again with images of the new version';
const noArtefact = 'is no artefact of the installer, or its registry does not answer';
const noKubernetes = 'k8s API server CA config is not set';

export const unsupportedChecks = [
  refuses('kubeconfig', '-n {node} kubeconfig {folder}/kubeconfig', noKubernetes),
  refuses('conformance kubernetes', '-n {node} conformance kubernetes', noKubernetes),
  refuses('upgrade-k8s', '-n {node} upgrade-k8s', noKubernetes),
  refuses('rollback', '-n {node} rollback', onlyUpgradable, { only: ['docker'] }),
  refuses('rollback', '-n {node} rollback', 'slot B has no system', process),
  refuses(
    'upgrade',
    '-n {node} upgrade -i 192.0.2.1/installer:1 --legacy --preserve --wait=false --drain=false',
    onlyUpgradable,
    { only: ['docker'] },
  ),
  refuses('wipe disk', '-n {node} wipe disk sda', 'and owns no disks', { only: ['process', 'docker'] }),
  prints('wipe disk', 'reports a disk that does not exist', '-n {node} wipe disk sda', {
    only: ['qemu'],
    exitCode: 1,
    stderr: [/there is no block device "sda"/],
  }),
  refuses('upgrade', '-n {node} upgrade -i 192.0.2.1/installer:1', noArtefact, process),
  refuses('debug', '-n {node} debug 192.0.2.1/debug:1', noArtefact, process),
  refuses('image list', '-n {node} image list', noRuntime, process),
  refuses('image pull', '-n {node} image pull 192.0.2.1/x:1', noRuntime, process),
  refuses('image remove', '-n {node} image remove 192.0.2.1/x:1', noRuntime, process),
  prints(
    'image list',
    'prints no Kubernetes images when there are none',
    '-n {node} image list',
    containerAndMachine,
  ),
  prints(
    'image remove',
    'reports an image that does not exist',
    '-n {node} image remove nosuch.invalid/x:1',
    {
      ...containerAndMachine,
      exitCode: 1,
      stderr: [/nosuch\.invalid/],
    },
  ),
];
