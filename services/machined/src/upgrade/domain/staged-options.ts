import { type OutsideNeed, outsideNeeds } from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import type { SystemRequest } from './upgrades.ts';

/** What a staged upgrade keeps in META besides the image. */
export interface StagedOptions extends Omit<SystemRequest, 'image'> {
  /** Of the etcd that wrote the data of this node, which is not mounted when a start begins with the upgrade; undefined without data. */
  readonly etcdVersion: string | undefined;
  /** What was missing then: a machine that starts lacks almost everything, which would let a bad system wait for ever. */
  readonly missingBefore: readonly OutsideNeed[];
}

export const encodeStagedOptions = (options: StagedOptions): string => JSON.stringify(options);

/** @throws Fault `data-loss` for a text that `encodeStagedOptions()` did not write */
export function parseStagedOptions(text: string): StagedOptions {
  const { allowsDowngrade, extensionSet, dropsExtensions, etcdVersion, missingBefore } = fieldsOf(text);
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  if (typeof allowsDowngrade !== 'boolean' || typeof dropsExtensions !== 'boolean') throw unreadable();
  if (!isText(extensionSet) || !isText(etcdVersion)) throw unreadable();
  if (!Array.isArray(missingBefore)) throw unreadable();
  return {
    ...{ allowsDowngrade, dropsExtensions },
    missingBefore: outsideNeeds.filter((need) => missingBefore.includes(need)),
    extensionSet: extensionSet as string | undefined,
    etcdVersion: etcdVersion as string | undefined,
  };
}

const unreadable = () => new Fault('data-loss', 'the options of the staged upgrade are not readable');

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    throw unreadable();
  }
}
