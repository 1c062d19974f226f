// The machines that the power is taken from: their configurations, and the disks with which they start.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectorBytes } from '@nodewright/disk';
import { guestNetwork, makeMachineDisk } from '@nodewright/provision/machine';
import { placedPartitions } from '../../rootfs/disk/disk-image.ts';
import { imageFolder, type Machine, startMachine } from '../boot/machine.ts';
import { openWorkplace, type Workplace } from '../boot/use-machine.ts';
import { showsActiveSet } from './cut-actions.ts';
import { keptValue } from './judge-finding.ts';
import { type ByteRange, readSparseDisk, type SparseDisk } from './sparse-disk.ts';
import { openTestSets, type TestSets } from './test-sets.ts';

export type BaseName = 'new' | 'fresh' | 'configured' | 'extended';

/**
 * The partitions that a machine is started from. Nothing writes to them, apart from sets of extensions to BOOT, and only a boot
 * reads them, so they are left out of the images otherwise.
 */
export const programsOf = (base: BaseName): readonly ByteRange[] =>
  placedPartitions()
    .filter(({ label }) => label !== 'META' && !(label === 'BOOT' && base === 'extended'))
    .map(({ first, last }) => ({ from: first * sectorBytes, end: (last + 1) * sectorBytes }));

export interface TestCluster
  extends Pick<Workplace, 'configures' | 'succeeds' | 'shows' | 'talosctl' | 'trusted'> {
  readonly sets: TestSets;
  /**
   * Disks: `new` is the image, `fresh` was in maintenance once, `configured` has configuration 1 and a value in META, and `extended` also
   * runs the set of extensions 0.
   */
  readonly bases: Readonly<Record<BaseName, string>>;
  /** The disk without the partitions that a machine is started from. It must not be changed. */
  withoutPrograms(base: BaseName): SparseDisk;
  /** Writes configuration `number` into a file and returns its path and its SHA-256. */
  configuration(number: number): { readonly path: string; readonly digest: string };
}

const timeoutMs = 600_000;
/** EPHEMERAL needs 2 GiB behind the image, which has 1.6 GiB. */
const diskBytes = 5 * 2 ** 30;
/**
 * Makes a configuration longer than one request to the disk, so that a part of it could be lost. Each has another length: a new
 * one may lie where an older one was, and must not pass for it when only the older name of the place is on the disk.
 */
const fillerOf = (number: number) => `# ${'filler '.repeat(14)}\n`.repeat(1000 + 50 * (number - 1));

/** Starts a machine with the network of the tests. */
export const startOn = (disk: string, writeLog?: string): Promise<Machine> =>
  startMachine({
    ...{ disk, keepsDisk: true, ...(writeLog === undefined ? {} : { writeLog }) },
    boot: { kind: 'kernel', words: [guestNetwork] },
  });

/** Opens the cluster in `folder`. What it needs is made at the first time. */
export async function openTestCluster(folder: string): Promise<TestCluster> {
  mkdirSync(folder, { recursive: true });
  const workplace = openWorkplace(folder);
  if (!existsSync(join(folder, 'controlplane.yaml'))) await workplace.generate('powercut');
  const text = readFileSync(join(folder, 'controlplane.yaml'), 'utf8');
  const configuration: TestCluster['configuration'] = (number) => {
    const path = join(folder, `configuration-${number}.yaml`);
    const content = `# configuration ${number}\n${text}${fillerOf(number)}`;
    if (!existsSync(path)) writeFileSync(path, content, { mode: 0o600 });
    return { path, digest: createHash('sha256').update(content).digest('hex') };
  };
  const base = (name: BaseName) => join(folder, `${name}.raw`);
  const bases = {
    ...{ new: base('new'), fresh: base('fresh'), configured: base('configured'), extended: base('extended') },
  };
  const disks = new Map<BaseName, SparseDisk>();
  const withoutPrograms = (name: BaseName) => {
    const disk = disks.get(name) ?? readSparseDisk(bases[name], programsOf(name));
    disks.set(name, disk);
    return disk;
  };
  const sets = await openTestSets(folder);
  const cluster: TestCluster = { ...workplace, sets, bases, withoutPrograms, configuration };
  await makeBase(bases.new, join(imageFolder, 'disk.raw'), async () => {});
  await makeBase(bases.fresh, bases.new, async (disk) => {
    await using machine = await startOn(disk);
    await machine.shows(/maintenance: waiting for a machine configuration/, timeoutMs);
    await switchOff(machine);
  });
  await makeBase(bases.configured, bases.fresh, (disk) => configure(cluster, disk));
  await makeBase(bases.extended, bases.configured, (disk) => extend(cluster, disk));
  return cluster;
}

async function makeBase(path: string, from: string, prepare: (disk: string) => Promise<void>): Promise<void> {
  if (existsSync(path)) return;
  const unfinished = `${path}.new`;
  makeMachineDisk(from, unfinished, diskBytes);
  await prepare(unfinished);
  renameSync(unfinished, path);
}

async function configure(cluster: TestCluster, disk: string): Promise<void> {
  const { configures, succeeds, trusted, configuration } = cluster;
  await using machine = await startOn(disk);
  await configures(machine, configuration(1).path);
  await succeeds([...trusted(machine), 'ls', '/var/log'], timeoutMs);
  await succeeds([...trusted(machine), 'meta', 'write', `0x0${keptValue.key.toString(16)}`, keptValue.value]);
  await switchOff(machine);
}

async function extend(cluster: TestCluster, disk: string): Promise<void> {
  const { succeeds, trusted, sets } = cluster;
  {
    await using machine = await startOn(disk);
    await succeeds([...trusted(machine), 'extensions', 'install', sets.path(0)], timeoutMs);
    await switchOff(machine);
  }
  await using machine = await startOn(disk);
  await showsActiveSet(machine, cluster);
  await switchOff(machine);
}

async function switchOff(machine: Machine): Promise<void> {
  await machine.pressPower();
  await machine.isOff(timeoutMs);
}
