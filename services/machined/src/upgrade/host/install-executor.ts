// Carries out the steps of an installation.
import { volumeIds } from '@nodewright/contract/volumes';
import { type DiskWrite, metaWrites, sectorBytes } from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import type {
  ByteRange,
  FileSystemKind,
  InstalledPartition,
  InstallStep,
  InstallTarget,
} from '../domain/install-plan.ts';

/** A disk that was opened once, and stays open until it is disposed of: its path names no other disk meanwhile. */
export interface ClaimedDisk extends AsyncDisposable {
  readonly sizeBytes: number;
  /** Reads from the disk, and not from the memory of the kernel. @throws Error of Node.js */
  read(at: number, lengthBytes: number): Promise<Buffer>;
  /** Makes the writes one after the other; each is on the disk before the next begins. @throws Error of Node.js */
  write(writes: readonly DiskWrite[]): Promise<void>;
  /** Lets others use the disk, too: programs that make file systems, and the kernel that mounts them. */
  share(): Promise<void>;
}

/** What an installation does to the disks of a machine. Devices are paths such as `/dev/vda`. */
export interface InstallPort {
  /** Opens a disk that neither it nor a partition of it is in use, and keeps it from being used by others. @throws Fault `failed-precondition` when it is in use */
  claim(disk: string): Promise<ClaimedDisk>;
  /** Reads from the disk, and not from the memory of the kernel. @throws Error of Node.js */
  read(device: string, at: number, lengthBytes: number): Promise<Buffer>;
  /**
   * Tells the kernel of partitions that are in no table yet, and keeps them, although others may have it read the table of the disk, until the
   * returned object is disposed of.
   *
   * @throws SystemCallError `EBUSY` when it knows others
   */
  introduce(
    disk: string,
    partitions: readonly Pick<InstalledPartition, 'number' | 'first' | 'last'>[],
  ): Promise<AsyncDisposable>;
  /** Tells the kernel that the disk has no partitions. @throws SystemCallError `EBUSY` when one of them is in use */
  forgetPartitions(disk: string): void;
  /** Path of a partition. */
  partitionPath(disk: string, number: number): string;
  /** Creates an empty file system, whatever the device contains. It is on the disk when the promise resolves. @throws Fault */
  makeFileSystem(
    device: string,
    fileSystem: FileSystemKind,
    name: { label: string; uuid: string },
  ): Promise<void>;
}

/** GRUB for a disk, as the artefact has it. */
export interface GrubParts {
  /** For the beginning of the first sector; it knows where `core` is. */
  readonly bootCode: Buffer;
  readonly core: Buffer;
}

/** What an installation writes into the new file systems. When a promise resolves, the disk has what was written. */
export interface InstalledFiles {
  /**
   * The files of the system, compared with what was signed, and the images.
   *
   * @param deviceOf path of a partition
   * @throws Fault `data-loss` when the artefact or the disk differ from what was signed
   */
  fill(deviceOf: (label: InstalledPartition['label']) => string): Promise<void>;
  /** GRUB for a partition BIOS that begins at this sector, known after `fill()`; undefined for a machine that has no BIOS. */
  grub(coreSector: number): GrubParts | undefined;
  /** Values of META to keep. They and the configuration do not change any more when the promise resolves. */
  values(): Promise<ReadonlyMap<number, Uint8Array>>;
  /** Writes the configuration and the identity of the node. */
  writeState(device: string): Promise<void>;
  /** Makes the files a boot entry. */
  complete(): Promise<void>;
}

export interface InstallRun {
  readonly port: InstallPort;
  readonly files: InstalledFiles;
  readonly target: InstallTarget;
  /** Called before the first step. @throws Fault when the disk is not the one that was chosen */
  readonly check?: (disk: ClaimedDisk) => Promise<void>;
  /** A line for people about what happens next. */
  readonly report: (line: string) => void;
  /** Ends the installation before the next step: the disk starts nothing then. */
  readonly signal: AbortSignal;
}

/**
 * Carries out all steps. After a failure the disk starts nothing, unless the first step has failed.
 *
 * @throws Fault that names the disk and the step
 */
export async function runInstall(steps: readonly InstallStep[], run: InstallRun): Promise<void> {
  await using scope = new AsyncDisposableStack();
  // Nothing is written to a disk that is in use, or that has taken the place of the chosen one.
  const disk = scope.use(await run.port.claim(run.target.disk));
  await run.check?.(disk);
  for (const step of steps) {
    if (run.signal.aborted) throw cancellation(run.signal);
    const text = textOf(step);
    if (text !== undefined) run.report(text);
    try {
      await carryOut(step, run, disk, scope);
    } catch (error) {
      // It comes from the configuration, and the disk has not failed.
      if (run.signal.aborted && error === run.signal.reason) throw error;
      const { kind, message } = faultFrom(error);
      const path = run.target.disk;
      const what = isGone(error) ? `${path} has vanished: the installation` : `the installation on ${path}`;
      throw new Fault(kind, `${what} failed at the step "${step.kind}": ${message}`, { cause: error });
    }
  }
}

const cancellation = ({ reason }: AbortSignal): Fault =>
  reason instanceof Fault ? reason : new Fault('cancelled', 'the installation was cancelled');

const goneCodes = new Set(['ENOENT', 'ENXIO', 'ENODEV']);
const isGone = (error: unknown) => goneCodes.has((error as NodeJS.ErrnoException | undefined)?.code ?? '');

async function carryOut(
  step: InstallStep,
  { port, files, target }: InstallRun,
  disk: ClaimedDisk,
  scope: AsyncDisposableStack,
): Promise<void> {
  const path = target.disk;
  const deviceOf = (label: string) => {
    const found = target.partitions.find((one) => one.label === label);
    return port.partitionPath(path, found?.number ?? 0);
  };
  switch (step.kind) {
    case 'disable disk':
      return disk.write([{ at: 0, bytes: Buffer.alloc(sectorBytes) }]);
    case 'forget partitions':
      return port.forgetPartitions(path);
    case 'clear':
      return disk.write(step.ranges.map(zeros));
    case 'introduce':
      await disk.share();
      scope.use(await port.introduce(path, step.partitions));
      return;
    case 'format': {
      const { label, guid, number } = step.partition;
      return port.makeFileSystem(port.partitionPath(path, number), step.fileSystem, { label, uuid: guid });
    }
    case 'fill':
      return files.fill(deviceOf);
    case 'write core': {
      const grub = files.grub(step.at.first);
      if (grub !== undefined) await writeCore(disk, step.at, grub.core);
      return;
    }
    case 'write values':
      return disk.write(
        metaWrites(await files.values()).map(({ at, bytes }) => ({
          at: step.at.first * sectorBytes + at,
          bytes,
        })),
      );
    case 'write state':
      return files.writeState(deviceOf(volumeIds.state));
    case 'complete slot':
      return files.complete();
    case 'write table':
      return disk.write(step.writes);
    case 'enable disk': {
      const sector = Buffer.from(step.firstSector);
      const { first = 0 } = target.partitions.find(({ label }) => label === 'BIOS') ?? {};
      files.grub(first)?.bootCode.copy(sector);
      return disk.write([{ at: 0, bytes: sector }]);
    }
  }
}

const zeros = ({ at, bytes }: ByteRange): DiskWrite => ({ at, bytes: Buffer.alloc(bytes) });

/** It has no checksum: what the disk has is compared. */
async function writeCore(
  disk: ClaimedDisk,
  { first, last }: InstalledPartition,
  core: Buffer,
): Promise<void> {
  if (core.length > (last - first + 1) * sectorBytes)
    throw new Fault('data-loss', `the core image of GRUB has ${core.length} bytes, more than its partition`);
  const at = first * sectorBytes;
  await disk.write([{ at, bytes: core }]);
  if (!(await disk.read(at, core.length)).equals(core))
    throw new Fault('data-loss', 'the disk has not kept the core image of GRUB');
}

function textOf(step: InstallStep): string | undefined {
  switch (step.kind) {
    case 'clear':
      return 'clearing the disk';
    case 'format':
      return `making the file system of ${step.partition.label}`;
    case 'fill':
      return 'writing the system';
    case 'write state':
      return 'writing the configuration';
    case 'enable disk':
      return 'making the disk bootable';
    default:
      return undefined;
  }
}
