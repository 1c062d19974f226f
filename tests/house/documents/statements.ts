import { environmentBlockBytes } from '../../../packages/boot/src/grub/environment-block.ts';
import { artefactLimits } from '../../../packages/installer/src/domain/artefact-limits.ts';
import { strangerLimits } from '../../../services/apid/src/domain/limits.ts';
import { selectorLimits } from '../../../services/machined/src/base/host/worker-selectors.ts';
import { linkTiming } from '../../../services/machined/src/cluster/host/link-timing.ts';
import {
  marginMs,
  restAfterHandoverMs,
} from '../../../services/machined/src/network/domain/virtual-address.ts';
import { renewalPeriodMs } from '../../../services/machined/src/secrets/domain/certificate-renewal.ts';
import { upgradeLimits } from '../../../services/machined/src/upgrade-calls/domain/upgrade-limits.ts';
import { registrydLimits } from '../../../services/registryd/src/domain/limits.ts';
import { trustdLimits } from '../../../services/trustd/src/domain/limits.ts';
import { deviceLimits } from '../../../services/udevd-bridge/src/domain/limits.ts';
import type { Statement } from './find-untruths.ts';

const mebibyte = 1024 * 1024;
const minuteMs = 60_000;
const machined = 'services/machined/README.md';
const registryd = 'services/registryd/README.md';
const trustd = 'services/trustd/README.md';

/** Numbers that documents state. A sentence that goes takes its row with it; one that changes its words changes the row. */
export const statements: readonly Statement[] = [
  { document: machined, says: /every (\d+) hours and after changes/, value: renewalPeriodMs / 60 / minuteMs },
  { document: machined, says: /at most once in (\d+) minutes/, value: restAfterHandoverMs / minuteMs },
  { document: registryd, says: /after (\d+) minutes 504/, value: registrydLimits.downloadMs / minuteMs },
  {
    document: registryd,
    says: /without a reader stops after (\d+) s/,
    value: registrydLimits.lingerMs / 1000,
  },
  { document: registryd, says: /Every (\d+) minutes: blobs/, value: registrydLimits.collectMs / minuteMs },
  {
    document: registryd,
    says: /was used within (\d+) minutes/,
    value: registrydLimits.pressureGraceMs / minuteMs,
  },
  { document: trustd, says: /while (\d+) calls with a wrong token/, value: trustdLimits.guessesPerGroup },
  { document: trustd, says: /after (\d+) s, `invalid token`/, value: trustdLimits.guessWaitMs / 1000 },
  {
    document: trustd,
    says: /closes an anonymous connection after (\d+) s/,
    value: trustdLimits.anonymousMs / 1000,
  },
  { document: trustd, says: /that has more than (\d+)\. It closes/, value: trustdLimits.anonymousPerGroup },
  { document: trustd, says: /of a node (\d+) s after its last call/, value: trustdLimits.silentMs / 1000 },
  {
    document: 'services/udevd-bridge/README.md',
    says: /at most ([\d,]+) events/,
    value: deviceLimits.historyEvents,
  },
  {
    document: 'services/udevd-bridge/README.md',
    says: /events and (\d+) MiB, which/,
    value: deviceLimits.historyBytes / mebibyte,
  },
  {
    document: 'packages/boot/README.md',
    says: /has it with its (\d+) bytes/,
    value: environmentBlockBytes,
  },
  {
    document: 'SECURITY.md',
    says: /with (\d+) s of processor time/,
    value: selectorLimits.processorMs / 1000,
  },
  {
    document: 'SECURITY.md',
    says: /over all its objects, (\d+) MB of memory/,
    value: selectorLimits.memoryMb,
  },
  { document: 'SECURITY.md', says: /for (\d+) s, four at once/, value: strangerLimits.callMs / 1000 },
  { document: 'SECURITY.md', says: /(\d+) in total, 8 of one address/, value: strangerLimits.connections },
  {
    document: 'SECURITY.md',
    says: /in total, (\d+) of one address/,
    value: strangerLimits.connectionsPerIdentity,
  },
  { document: 'SECURITY.md', says: /for all files, (\d+) layers/, value: artefactLimits.layers },
  { document: 'SECURITY.md', says: /([\d,]+) files, \d+ indexes in a row/, value: artefactLimits.files },
  { document: 'SECURITY.md', says: /(\d+) indexes in a row/, value: artefactLimits.indexDepth - 1 },
  {
    document: 'SECURITY.md',
    says: /below (\d+) KiB per second/,
    value: artefactLimits.registryBytesPerSecond / 1024,
  },
  { document: 'SECURITY.md', says: /(\d+) lines wait for a client/, value: upgradeLimits.unreadLines },
  {
    document: 'services/machined/src/cluster/README.md',
    says: /lease of (\d+) s and follows/,
    value: linkTiming.leaseSeconds,
  },
  {
    document: 'services/machined/src/network/README.md',
    says: /which ends (\d+) s before the lease/,
    value: marginMs / 1000,
  },
];
