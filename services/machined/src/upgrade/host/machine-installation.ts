// Installs a system on a disk of a machine that was started from a medium, or from a disk that is not its system disk.
import { randomUUID, type X509Certificate } from 'node:crypto';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Edition } from '@nodewright/installer';
import type { Platform } from '@nodewright/oci';
import type { DiskSpec } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import type { SelectorEvaluator } from '../../base/domain/selectors.ts';
import type { ArtefactContent, ArtefactSource } from '../domain/artefact-source.ts';
import { chooseInstallDisk, type InstallDisk } from '../domain/install-disk.ts';
import { installTarget, planInstall, smallestDiskBytes } from '../domain/install-plan.ts';
import {
  argumentProblem,
  argumentWarning,
  type InstallRequest,
  isOnMedium,
} from '../domain/install-request.ts';
import type { SystemRequest, Upgrades } from '../domain/upgrades.ts';
import { type ClaimedDisk, type InstallPort, runInstall } from './install-executor.ts';
import type { InstallMedium } from './install-medium.ts';
import {
  createInstalledFiles,
  type InstallArtefact,
  type InstalledFilesInit,
  imageBytesOf,
} from './installed-files.ts';
import { madeByKernel, readContent } from './read-install-disks.ts';

export interface MachineInstallationInit
  extends Pick<InstalledFilesInit, 'partition' | 'memory' | 'stateFolder' | 'leftOut' | 'confirmChoice'> {
  readonly port: InstallPort;
  /** Undefined for a machine that was started from a disk. */
  readonly medium: InstallMedium | undefined;
  /** For what is not on the medium. */
  readonly source: ArtefactSource;
  readonly certificates: () => Promise<readonly X509Certificate[]>;
  readonly platform: Platform;
  readonly edition: Edition;
  /** Of the running system. */
  readonly version: string;
  /** Command line of the kernel. */
  readonly commandLine: string;
  readonly isUefi: boolean;
  /** The disks of the machine, once they are known. @throws Fault `cancelled` when the signal aborts */
  readonly disks: (signal: AbortSignal) => Promise<readonly DiskSpec[]>;
  readonly inspect: (specs: readonly DiskSpec[]) => Promise<readonly InstallDisk[]>;
  readonly selectors: SelectorEvaluator;
  /** Values of META, which are in memory. */
  readonly values: () => ReadonlyMap<number, Uint8Array>;
  readonly isMaintenance: () => boolean;
  /**
   * Keeps the configuration and META as they are until the result is disposed of. @param reason for those who would change them. @throws Fault
   */
  readonly holdConfiguration: (reason: string, signal: AbortSignal) => Promise<Disposable>;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

type Report = (line: string) => void;

/** What may end an installation before it is done. */
export interface InstallWish {
  /** Aborts when the installation is not wanted any more. */
  readonly signal: AbortSignal;
  /** Asked once more when the configuration cannot change any more. */
  readonly isWanted: () => boolean;
}

/** Why an installation has ended that the configuration does not ask for any more. */
export const changedWish = (): Fault =>
  new Fault('cancelled', 'the configuration asks for something else now');

const notInstalled = () =>
  new Fault('failed-precondition', 'machine is not installed: it runs in memory, from its medium');

/** Installs this machine. One installation runs at a time, and after one has ended there is no other in this start. */
export class MachineInstallation implements Upgrades {
  readonly #init: MachineInstallationInit;
  #state: 'idle' | 'busy' | 'installed' = 'idle';

  constructor(init: MachineInstallationInit) {
    this.#init = init;
  }

  /** Whether a disk of this machine has the system already, which the next start has. */
  isInstalled(): boolean {
    return this.#state === 'installed';
  }

  isBusy(): boolean {
    return this.#state === 'busy';
  }

  async upgrade(): Promise<void> {
    throw notInstalled();
  }

  async stage(): Promise<void> {
    throw notInstalled();
  }

  async rollback(): Promise<void> {
    throw notInstalled();
  }

  async disarm(): Promise<void> {
    throw notInstalled();
  }

  async install(
    { image, disk, wipes }: SystemRequest & { readonly disk: string; readonly wipes: boolean },
    report: Report,
  ): Promise<void> {
    // In maintenance nobody has shown a certificate: only a configuration says that the disk may be overwritten.
    if (this.#init.isMaintenance())
      throw new Fault(
        'failed-precondition',
        'in maintenance an installation starts with an applied configuration that names the disk',
      );
    await this.installConfigured(
      { ...{ image, disk, wipes, selector: '', extraKernelArguments: [], marksMbr: false } },
      report,
    );
  }

  /** @throws Fault `failed-precondition` with one line that says why it is refused; as `Upgrades.install()` */
  async installConfigured(request: InstallRequest, report: Report, wish?: InstallWish): Promise<void> {
    if (this.#state === 'installed')
      throw new Fault('already-exists', 'machine is already installed: its next start has the new system');
    if (this.#state === 'busy')
      throw new Fault('failed-precondition', 'another installation/upgrade is already in progress');
    this.#state = 'busy';
    try {
      await this.#install(request, report, wish);
      this.#state = 'installed';
    } finally {
      if (this.#state === 'busy') this.#state = 'idle';
    }
  }

  async #install(request: InstallRequest, report: Report, wish: InstallWish | undefined): Promise<void> {
    const { commandLine, isUefi, port, log } = this.#init;
    const signal = wish === undefined ? this.#init.signal : AbortSignal.any([this.#init.signal, wish.signal]);
    // The arguments of this image are those of the installed one, or like them.
    const problem = argumentProblem(request, commandLine);
    if (problem !== undefined) throw new Fault('failed-precondition', problem);
    const warning = argumentWarning(request, isUefi);
    if (warning !== undefined) report(warning);
    await using content = await this.#open(request.image, report, signal);
    const artefact = await this.#verify(content, signal);
    const imageBytes = imageBytesOf(artefact.files);
    const disk = await this.#choose(request, smallestDiskBytes(imageBytes), signal);
    let held: Disposable | undefined;
    const files = createInstalledFiles({
      ...this.#init,
      ...{ artefact, extraKernelArguments: request.extraKernelArguments },
      values: async () => {
        // From here on they are copied: what changed later would be lost with the memory.
        held = await this.#init.holdConfiguration(installedText(disk.path), signal);
        if (wish?.isWanted() === false) throw changedWish();
        return this.#init.values();
      },
    });
    const target = installTarget({
      ...{ disk: disk.path, sectors: Math.floor(disk.sizeBytes / 512), imageBytes },
      ...{ marksMbr: request.marksMbr, newGuid: randomUUID },
    });
    report(`installing ${artefact.version} on ${disk.path}`);
    log.warn(
      { disk: disk.path, version: artefact.version, content: disk.content },
      'a system is installed on a disk',
    );
    const check = (claimed: ClaimedDisk) => requireSame(claimed, disk);
    try {
      await runInstall(planInstall(target), { port, files, target, check, report, signal });
    } catch (error) {
      // Another configuration may be what helps.
      held?.[Symbol.dispose]();
      throw error;
    }
    report(`installed ${artefact.version} on ${disk.path}: the next start has it`);
  }

  #open(image: string, report: Report, signal: AbortSignal): Promise<ArtefactContent & AsyncDisposable> {
    const { medium, version, source } = this.#init;
    if (medium !== undefined && isOnMedium(image, version)) {
      report(
        image === ''
          ? 'taking the system from the medium'
          : `taking ${version} from the medium, not ${image}`,
      );
      return medium.open();
    }
    if (image !== '') return source.open(image, signal);
    throw new Fault(
      'invalid-argument',
      'installer image name is required: this machine was not started from a medium with one',
    );
  }

  async #verify(content: ArtefactContent, signal: AbortSignal): Promise<InstallArtefact> {
    const { certificates, platform, edition } = this.#init;
    // Loaded on demand: most machines are never installed between two starts.
    const { checkTarget, filesFor, readArtefact, verifyArtefact } = await import('@nodewright/installer');
    const artefact = await verifyArtefact(content, { certificates: await certificates(), platform });
    const { description } = artefact;
    checkTarget(description, { nodeKind: 'machine', edition, allowsDowngrade: false });
    return {
      ...{ version: description.version, rootHash: description.rootHash },
      files: filesFor('machine', description),
      read: (sink, isWanted) => readArtefact(content, artefact, { sink, isWanted, signal }),
    };
  }

  async #choose(request: InstallRequest, neededBytes: number, signal: AbortSignal): Promise<InstallDisk> {
    const { disks, inspect, selectors } = this.#init;
    // What the kernel makes from files and other devices is not chosen in any case, and would only take time.
    const specs = (await disks(signal)).filter(({ dev_path }) => !madeByKernel.test(dev_path));
    const selection =
      request.selector === ''
        ? undefined
        : await selectors.select(
            {
              ...{ environment: 'disk', expression: request.selector },
              candidates: specs.map((disk) => ({
                name: disk.dev_path,
                variables: { disk, system_disk: false },
              })),
            },
            signal,
          );
    const { disk, wipes } = request;
    const choice = chooseInstallDisk({ disk, wipes, selection }, await inspect(specs), neededBytes);
    if ('refusal' in choice) throw new Fault('failed-precondition', choice.refusal);
    return choice.disk;
  }
}

const installedText = (disk: string) =>
  `the system is installed on ${disk} with the configuration before this one: restart the machine, and apply this one then`;

/** @throws Fault `failed-precondition` when the disk is not what it was when it was chosen: nothing has been written to it */
async function requireSame(claimed: ClaimedDisk, chosen: InstallDisk): Promise<void> {
  const read = (_path: string, at: number, lengthBytes: number) => claimed.read(at, lengthBytes);
  const { content, detail } = await readContent(chosen.path, chosen.sizeBytes, { read });
  const isSame =
    claimed.sizeBytes === chosen.sizeBytes && content === chosen.content && detail === chosen.detail;
  if (!isSame)
    throw new Fault(
      'failed-precondition',
      `${chosen.path} has changed since it was chosen: it is another disk, or something has written to it`,
    );
}

/** Why an installation failed, for people and for the status. */
export const installFailure = (error: unknown): string => faultFrom(error).message;
