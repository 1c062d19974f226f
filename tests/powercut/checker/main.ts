// The first process of a machine that examines disks after a power cut, in place of machined. It uses machined's own code
// to find the system disk, to prepare and mount its volumes and to read and store the configuration, so the kernel's
// recovery of XFS is real. One line per disk goes to the console; then the machine switches itself off.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { decodeTable, tableHeadBytes } from '@nodewright/disk';
import { faultFrom } from '@nodewright/fault';
import { type BlockDisk, loadNativeCalls, type NativeCalls, readDisks } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import { createMountedPartition } from '../../../services/machined/src/base/host/mounted-partition.ts';
import { readIfThere } from '../../../services/machined/src/base/host/read-if-there.ts';
import { createConfigurationFile } from '../../../services/machined/src/config/host/configuration-file.ts';
import { slotOn } from '../../../services/machined/src/extensions/host/boot-partition.ts';
import { endMachineAtExit, reportOnConsole } from '../../../services/machined/src/life/host/first-process.ts';
import { modulesAreLoaded } from '../../../services/machined/src/life/host/modules-of-init.ts';
import type { LocatedPartition } from '../../../services/machined/src/volumes/domain/plan/volume-plan.ts';
import {
  mountOfVolume,
  type NamedVolume,
  plannedVolume,
  systemVolumes,
} from '../../../services/machined/src/volumes/domain/system-volumes.ts';
import { type BlockPort, createBlockPort } from '../../../services/machined/src/volumes/host/block-port.ts';
import { findSystemDisk } from '../../../services/machined/src/volumes/host/find-system-disk.ts';
import { createMetaOnDisk } from '../../../services/machined/src/volumes/host/meta-on-disk.ts';
import { SystemDisk } from '../../../services/machined/src/volumes/host/system-disk.ts';
import { VolumeExecutor } from '../../../services/machined/src/volumes/host/volume-executor.ts';
import { createVolumeFolders } from '../../../services/machined/src/volumes/host/volume-folder.ts';
import { doneLine, type Finding, findingLine, imageSerial } from '../finding.ts';
import { examineSets } from './examine-sets.ts';

/** The kernel takes lines of up to 1 kB. */
const longestFailure = 300;
const [stateFolder, ephemeralFolder, bootFolder] = ['/run/state', '/run/ephemeral', '/run/boot'];
const slot = 'A';
const text = (value: string) => Buffer.from(`${value}\0`);
const silent = () => {};
const log = { debug: silent, info: silent, warn: silent, error: silent } as unknown as Logger;

type Examined = Omit<Finding, 'image'>;

async function examine(calls: NativeCalls, port: BlockPort, disk: BlockDisk): Promise<Examined> {
  const place = await findSystemDisk(port, [disk], log);
  if (place === undefined) throw new Error('no partition META');
  const system = new SystemDisk({ port, ...place });
  const volumes = new VolumeExecutor({ disk: system, folders: createVolumeFolders(''), log });
  const table = decodeTable(await port.read(disk.devicePath, 0, tableHeadBytes));
  const labels = (table?.partitions ?? []).map(({ label }) => label);
  const meta = await createMetaOnDisk(port, (await system.find('META'))?.device ?? '').read();
  using _state = await mounted(calls, port, volumes, 'STATE', stateFolder);
  const file = createConfigurationFile(`${stateFolder}/config.yaml`);
  const configuration = await file.read();
  if (configuration !== undefined) await useEphemeral(calls, port, volumes);
  // The machine must not only read what it has: it must take a configuration.
  const next = '# the next configuration\n';
  await file.store(next);
  if (readFileSync(`${stateFolder}/config.yaml`, 'utf8') !== next)
    throw new Error('STATE takes no configuration');
  return {
    labels,
    ...(await examineBoot(calls, system)),
    meta: Object.fromEntries([...meta].map(([key, value]) => [key, Buffer.from(value).toString('utf8')])),
    configuration: configuration && createHash('sha256').update(configuration).digest('hex'),
  };
}

/** Examines BOOT as the init and machined use it; on most images it is left out. */
async function examineBoot(
  calls: NativeCalls,
  system: SystemDisk,
): Promise<Pick<Finding, 'sets' | 'root'> | undefined> {
  const found = await system.find('BOOT');
  if (found?.contents === undefined) return undefined;
  const boot = createMountedPartition({
    ...{ calls, label: 'BOOT', fileSystem: 'ext4', mountPoint: bootFolder },
    device: async () => found.device,
  });
  return examineSets(slotOn(boot, slot));
}

async function useEphemeral(calls: NativeCalls, port: BlockPort, volumes: VolumeExecutor): Promise<void> {
  using _ephemeral = await mounted(calls, port, volumes, 'EPHEMERAL', ephemeralFolder);
  await createConfigurationFile(`${ephemeralFolder}/written`).store('x');
}

function volumeNamed(id: string): NamedVolume {
  const all = systemVolumes({ machineType: 'controlplane', hasPartitions: true });
  const found = all.find((volume) => volume.id === id);
  if (found === undefined) throw new Error(`there is no volume ${id}`);
  return found;
}

/** Finds, creates or grows the partition as a machine does, and mounts it elsewhere: several disks are examined. */
async function mounted(
  calls: NativeCalls,
  port: BlockPort,
  volumes: VolumeExecutor,
  id: string,
  target: string,
): Promise<Disposable> {
  const { device, contents } = await located(volumes, id);
  if (contents === undefined) throw new Error(`${device} holds no file system`);
  port.mount({ device, type: contents.name, target, ...mountOfVolume(volumeNamed(id)) });
  return { [Symbol.dispose]: () => calls.detachMount(text(target)) };
}

async function located(volumes: VolumeExecutor, id: string): Promise<LocatedPartition> {
  const plan = await volumes.settle(plannedVolume(id, volumeNamed(id).spec, new Map()), {
    ...{ areDevicesKnown: true, isParentMounted: true, selection: undefined, mount: undefined },
  });
  if (plan.refusal !== undefined) throw new Error(plan.refusal.message);
  if (plan.located === undefined) throw new Error(`volume ${id} has no partition`);
  return plan.located;
}

async function main(): Promise<void> {
  const calls = await loadNativeCalls();
  if (!(await modulesAreLoaded(readIfThere))) throw new Error('the modules of the initramfs are not loaded');
  endMachineAtExit(
    { calls, killOthers: silent, pause: silent, report: reportOnConsole, isKernelLoaded: () => false },
    process,
  );
  calls.mount(text('tmpfs'), text('/run'), text('tmpfs'), 0, text(''));
  for (const folder of [stateFolder, ephemeralFolder]) mkdirSync(folder);
  const port = createBlockPort(calls);
  for (const disk of readDisks()) {
    const image = Number(imageSerial.exec(disk.serial)?.[1] ?? Number.NaN);
    if (Number.isNaN(image)) continue;
    const examined = await examine(calls, port, disk).catch((error: unknown) => ({
      ...{ labels: [], meta: {}, failure: faultFrom(error).message.slice(0, longestFailure) },
    }));
    reportOnConsole(findingLine({ image, ...examined }));
  }
  reportOnConsole(doneLine);
  process.exit(0);
}

void main();
