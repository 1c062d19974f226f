import { ipArguments } from './command-line.ts';
import { networkConfiguration } from './configuration.ts';
import { inet6Attacks } from './inet6.ts';
import { leaseAttacks } from './leases.ts';
import { messageAttacks } from './messages.ts';
import type { NetworkAttack } from './network-attack.ts';
import { serverAttacks } from './servers.ts';

/** All attacks of `make attack-network`, in the order in which it runs them. Each list of `tests/network/attacks*` is one of these. */
export const networkAttacks: readonly NetworkAttack[] = [
  networkConfiguration,
  ipArguments,
  ...leaseAttacks,
  ...serverAttacks,
  ...messageAttacks,
  ...inet6Attacks,
];
