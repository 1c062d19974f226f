import { certificateEnd } from './certificate-end.ts';
import type { AttackCheck } from './check.ts';
import { dials } from './dials.ts';
import { kubePrism } from './kube-prism.ts';
import { lostMembers } from './lost-members.ts';
import { malformedNodes } from './malformed-nodes.ts';
import { refusedCertificates } from './refused-certificates.ts';
import { registryRequests } from './registry-requests.ts';
import { selectors } from './selectors.ts';
import { stolenNames } from './stolen-names.ts';
import { strangers } from './strangers.ts';
import { swappedFolders } from './swapped-folders.ts';
import { terminal } from './terminal.ts';
import { unreadStop } from './unread-stop.ts';
import { waitingWorker } from './waiting-worker.ts';
import { wrongRoles } from './wrong-roles.ts';

export const checks: readonly AttackCheck[] = [
  wrongRoles,
  dials,
  malformedNodes,
  certificateEnd,
  refusedCertificates,
  stolenNames,
  waitingWorker,
  strangers,
  lostMembers,
  unreadStop,
  swappedFolders,
  terminal,
  registryRequests,
  kubePrism,
  selectors,
];
