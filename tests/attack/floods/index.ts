import { bodyFloods } from './bodies.ts';
import { cancelFloods } from './cancels.ts';
import { configurationFloods } from './configurations.ts';
import { connectionFloods } from './connections.ts';
import { deadNodeFloods } from './dead-node.ts';
import { expressionFloods } from './expressions.ts';
import { extensionSetFloods } from './extension-sets.ts';
import type { Flood } from './flood.ts';
import { frameFloods } from './frames.ts';
import { openCallFloods } from './open-calls.ts';
import { registryFloods } from './registry.ts';
import { trustFloods } from './trust.ts';
import { unreadFanOutFloods } from './unread-fan-out.ts';

export const floods: readonly Flood[] = [
  ...cancelFloods,
  ...openCallFloods,
  ...unreadFanOutFloods,
  ...deadNodeFloods,
  ...bodyFloods,
  ...connectionFloods,
  ...frameFloods,
  ...trustFloods,
  ...registryFloods,
  ...expressionFloods,
  ...extensionSetFloods,
  ...configurationFloods,
];

/** Throws when no flood has the name. */
export function findFlood(name: string): Flood {
  const flood = floods.find((known) => known.name === name);
  if (flood === undefined) throw new Error(`no flood is called "${name}"`);
  return flood;
}
