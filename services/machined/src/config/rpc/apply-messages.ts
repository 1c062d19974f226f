import {
  type ApplyConfigurationRequest,
  ApplyConfigurationRequest_Mode as Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import type { Application, Applied } from '../controllers/configuration-applier.ts';
import type { ApplyMode } from '../domain/plan-apply.ts';

const modes: Readonly<Record<number, ApplyMode>> = {
  [Mode.REBOOT]: 'reboot',
  [Mode.AUTO]: 'auto',
  [Mode.NO_REBOOT]: 'no-reboot',
  [Mode.STAGED]: 'staged',
  [Mode.TRY]: 'try',
};

const wireModes = {
  'no-reboot': Mode.NO_REBOOT,
  staged: Mode.STAGED,
  try: Mode.TRY,
} as const satisfies Record<Applied['mode'], Mode>;

/** Converts the request message. */
export function applicationOf(request: ApplyConfigurationRequest): Omit<Application, 'isAdmin'> {
  const { data, dryRun, mode, tryModeTimeout: timeout } = request;
  const tryTimeoutNs = timeout && timeout.seconds * 1_000_000_000n + BigInt(timeout.nanos);
  return { data, dryRun, mode: modes[mode] ?? mode, ...(tryTimeoutNs === undefined ? {} : { tryTimeoutNs }) };
}

/** Converts the result to the response message. */
export function appliedReply({ warnings, mode, details, lostAddresses }: Applied) {
  return {
    messages: [
      {
        ...{ warnings: [...warnings], mode: wireModes[mode], modeDetails: details },
        lostAddresses: [...lostAddresses],
      },
    ],
  };
}
