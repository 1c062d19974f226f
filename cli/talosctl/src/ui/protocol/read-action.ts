import type { EtcdAction, PageAction } from './calls.ts';

const longestName = 253;
const mostNames = 64;
const serviceVerbs = ['start', 'stop', 'restart'] as const;
const rebootModes = ['default', 'powercycle', 'force'] as const;
const etcdVerbs = ['leave', 'forfeit-leadership', 'defrag', 'disarm'] as const;

/** Reads an action that a page sent. @returns why it is refused, as text */
export function readAction(value: unknown): PageAction | string {
  if (typeof value !== 'object' || value === null) return 'the action is not an object';
  const given = value as Readonly<Record<string, unknown>>;
  switch (given.kind) {
    case 'shutdown':
      return { kind: 'shutdown' };
    case 'reboot': {
      const mode = rebootModes.find((known) => known === given.mode);
      return mode === undefined ? 'there is no such mode of a reboot' : { kind: 'reboot', mode };
    }
    case 'service': {
      const verb = serviceVerbs.find((known) => known === given.verb);
      if (verb === undefined || !isName(given.id)) return 'the action names no service, or no verb';
      return { kind: 'service', verb, id: given.id };
    }
    case 'reset':
      return readReset(given);
    case 'etcd':
      return readEtcdAction(given);
    default:
      return 'there is no such action';
  }
}

function readReset(given: Readonly<Record<string, unknown>>): PageAction | string {
  const { isGraceful, reboots, wiped, userDisks } = given;
  if (typeof isGraceful !== 'boolean' || typeof reboots !== 'boolean' || !isNames(userDisks))
    return 'the reset is not complete';
  if (wiped !== 'everything' && wiped !== 'nothing' && !(isNames(wiped) && wiped.length > 0))
    return 'the reset does not say what is wiped';
  return { kind: 'reset', isGraceful, reboots, wiped, userDisks };
}

function readEtcdAction({ verb, member }: Readonly<Record<string, unknown>>): EtcdAction | string {
  if (verb === 'remove-member') {
    if (typeof member !== 'string' || !/^[\da-f]{1,16}$/.test(member)) return 'there is no such member';
    return { kind: 'etcd', verb, member };
  }
  const known = etcdVerbs.find((each) => each === verb);
  return known === undefined ? 'there is no such action of etcd' : { kind: 'etcd', verb: known };
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longestName;

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= mostNames && value.every(isName);

/** Reads the names of nodes. @returns why they are refused, as text */
export function readNodes(value: unknown, nodes: ReadonlySet<string>): readonly string[] | string {
  if (!Array.isArray(value) || value.length === 0) return 'no node is named';
  if (!value.every((name): name is string => typeof name === 'string' && nodes.has(name)))
    return 'the request names a node that is not shown';
  return [...new Set(value)];
}
