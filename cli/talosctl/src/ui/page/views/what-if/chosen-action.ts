import { volumeIds } from '@nodewright/contract/volumes';
import type { PageAction } from '../../../protocol/calls.ts';

/** The actions as the view lists them: words of the command line, and what its menu says. */
export const actionChoices = [
  { group: 'Machine', id: 'reboot', text: 'reboot' },
  { group: 'Machine', id: 'reboot-force', text: 'reboot by force, without stopping services first' },
  { group: 'Machine', id: 'reboot-powercycle', text: 'reboot through the firmware' },
  { group: 'Machine', id: 'shutdown', text: 'shut down' },
  { group: 'Machine', id: 'reset', text: 'reset' },
  { group: 'Service', id: 'restart', text: 'restart a service' },
  { group: 'Service', id: 'stop', text: 'stop a service' },
  { group: 'Service', id: 'start', text: 'start a service' },
  { group: 'etcd', id: 'forfeit-leadership', text: 'let another member lead' },
  { group: 'etcd', id: 'defrag', text: 'defragment the database' },
  { group: 'etcd', id: 'disarm', text: 'clear alarms' },
  { group: 'etcd', id: 'leave', text: 'leave etcd' },
  { group: 'etcd', id: 'remove-member', text: 'remove a member whose node is gone' },
] as const;

export type ActionId = (typeof actionChoices)[number]['id'];

/** What the user chose, as it stands in the address. */
export interface Choice {
  readonly action: ActionId;
  readonly service: string;
  readonly member: string;
  readonly isGraceful: boolean;
  readonly reboots: boolean;
  readonly wiped: 'everything' | 'system';
}

export function readChoice(query: URLSearchParams): Choice {
  const known = actionChoices.find(({ id }) => id === query.get('action'));
  return {
    action: known?.id ?? 'reboot',
    service: query.get('service') ?? '',
    member: query.get('member') ?? '',
    isGraceful: query.get('graceful') !== 'no',
    reboots: query.get('reboots') === 'yes',
    wiped: query.get('wiped') === 'system' ? 'system' : 'everything',
  };
}

/** The action; undefined while a part of it is not chosen. */
export function actionOf({ action, service, member, ...reset }: Choice): PageAction | undefined {
  switch (action) {
    case 'reboot':
      return { kind: 'reboot', mode: 'default' };
    case 'reboot-force':
      return { kind: 'reboot', mode: 'force' };
    case 'reboot-powercycle':
      return { kind: 'reboot', mode: 'powercycle' };
    case 'shutdown':
      return { kind: 'shutdown' };
    case 'restart':
    case 'stop':
    case 'start':
      return service === '' ? undefined : { kind: 'service', verb: action, id: service };
    case 'reset': {
      const { isGraceful, reboots, wiped } = reset;
      const system = wiped === 'system' ? ([volumeIds.state, volumeIds.ephemeral] as const) : 'everything';
      return { kind: 'reset', isGraceful, reboots, wiped: system, userDisks: [] };
    }
    case 'remove-member':
      // As `talosctl etcd members` prints it.
      return /^[\da-f]{1,16}$/.test(member) ? { kind: 'etcd', verb: action, member } : undefined;
    case 'forfeit-leadership':
    case 'defrag':
    case 'disarm':
    case 'leave':
      return { kind: 'etcd', verb: action };
  }
}
