// Records every request to the disk of one machine: it is installed from the medium on an empty disk, upgraded, and rolled back, by a BIOS.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { decodeTable, type Partition, tableHeadBytes } from '@nodewright/disk';
import { serveLayout } from '../../boot/layout-registry.ts';
import { startUpgradable } from '../../boot/upgradable-machine.ts';
import { openWorkplace, type Workplace } from '../../boot/use-machine.ts';
import { followWriteLog } from '../follow-write-log.ts';
import { SparseDisk } from '../sparse-disk.ts';
import { replay } from '../surviving-writes.ts';
import { type LogEntry, readWriteLog } from '../write-log.ts';
import type { Phase } from './plan-moments.ts';

export interface RecordedLife {
  readonly entries: readonly LogEntry[];
  /** The number of requests at the end of each phase. */
  readonly ends: Readonly<Record<Phase, number>>;
  readonly diskBytes: number;
  /** Of the disk at the end. */
  readonly partitions: readonly Partition[];
  /** Has the files of the cluster to which the machine belongs. */
  readonly workplace: Workplace;
}

const diskBytes = 6 * 2 ** 30;

export interface Artefacts {
  /** The medium, which has the old system. */
  readonly medium: string;
  /** The layout with the new system. */
  readonly upgrade: string;
}

/** Opens the recording in `folder`, which is made at the first time: that takes a machine half an hour. */
export async function openLife(
  folder: string,
  artefacts: Artefacts,
  say: (line: string) => void,
): Promise<RecordedLife> {
  const [log, known] = [join(folder, 'writes.log'), join(folder, 'ends.json')];
  mkdirSync(folder, { recursive: true });
  const workplace = openWorkplace(folder);
  if (!existsSync(known)) {
    const ends = await record(workplace, { ...artefacts, log }, say);
    writeFileSync(`${known}.new`, JSON.stringify(ends));
    renameSync(`${known}.new`, known);
  }
  const entries = readWriteLog(readFileSync(log));
  const head = new SparseDisk(tableHeadBytes);
  replay(head, entries);
  const table = decodeTable(head.read(0, tableHeadBytes));
  if (table === undefined) throw new Error('the disk of the recording has no table of partitions');
  const ends = JSON.parse(readFileSync(known, 'utf8'));
  return { entries, ends, diskBytes, partitions: table.partitions, workplace };
}

async function record(
  workplace: Workplace,
  { medium, upgrade, log }: Artefacts & { readonly log: string },
  say: (line: string) => void,
): Promise<Record<Phase, number>> {
  const disk = join(workplace.folder, 'machine.raw');
  for (const path of [disk, log]) rmSync(path, { force: true });
  writeFileSync(disk, '');
  truncateSync(disk, diskBytes);
  writeFileSync(log, '');
  await using registry = await serveLayout(upgrade);
  await using upgradable = await startUpgradable(workplace, registry, {
    ...{ boot: { kind: 'bios' }, disk, medium, writeLog: log },
  });
  using follower = followWriteLog(log);
  let before = 0;
  const ended = (phase: Phase) => {
    const count = follower.count();
    if (count <= before)
      throw new Error(`the record ends in the middle: nothing of the phase ${phase} can be read`);
    before = count;
    say(`${phase} recorded: ${count} requests`);
    return count;
  };
  const install = ended('install');
  await upgradable.upgrade('registry.test/installer:v1.14.1');
  const upgraded = ended('upgrade');
  await upgradable.runs('v1.14.1', 'B', 'confirmed');
  const confirmation = ended('confirmation');
  await upgradable.rollback();
  await upgradable.runs('v1.14.0', 'A', 'confirmed');
  const rollback = ended('rollback');
  await upgradable[Symbol.asyncDispose]();
  rmSync(disk);
  return { install, upgrade: upgraded, confirmation, rollback };
}
