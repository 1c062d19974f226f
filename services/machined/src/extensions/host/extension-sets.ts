import type { X509Certificate } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { shareWork } from '@nodewright/async';
import { type ExtensionSetDescription, verifyExtensionSet } from '@nodewright/extensions/sets';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { noSet, planSetStart } from '../domain/plan-set-start.ts';
import type { BootPartition } from './boot-partition.ts';
import { receiveArchive, type SendingLimits } from './receive-archive.ts';
import {
  dropTried,
  keepTried,
  listOthers,
  nameNext,
  placeSet,
  readSet,
  readSetNames,
  removeOthers,
} from './set-folder.ts';
import type { AwaitSoundStart } from './sound-start.ts';

/** A set with what is known of it. */
export type KnownSet = ExtensionSetDescription;

export interface SetsStatus {
  readonly running: KnownSet | undefined;
  /** What the next start tries; undefined when it is the same as this one. */
  readonly next: KnownSet | 'no set' | undefined;
  readonly problem: string;
}

/** The sets of extensions of a machine. One change happens at a time. The status can be asked for meanwhile. */
export interface ExtensionSets {
  status(): Promise<SetsStatus>;
  /** @throws Fault as `receiveArchive()` and `verifyExtensionSet()`, `unavailable` during another change, and `resource-exhausted` */
  install(archive: AsyncIterable<Uint8Array>): Promise<KnownSet>;
  /** Returns the running set. @throws Fault `failed-precondition` when no set runs */
  remove(): Promise<KnownSet | undefined>;
  /** To be called once: keeps what was tried when the machine is sound. It never rejects: it logs why it could not. */
  settle(): Promise<void>;
}

export interface ExtensionSetsInit {
  readonly boot: BootPartition;
  /** Those that the image trusts. */
  readonly certificates: () => Promise<readonly X509Certificate[]>;
  readonly imageRootHash: string;
  /** Root hash of the set that the init has mounted; empty for none. */
  readonly running: string;
  /** A file in memory that only root can read, for a set that is received. */
  readonly received: string;
  /** Default: `usualSendingLimits`. */
  readonly sendingLimits?: SendingLimits;
  readonly awaitSoundStart: AwaitSoundStart;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const setsFolder = 'sets';

export function createExtensionSets(init: ExtensionSetsInit): ExtensionSets {
  const { certificates, imageRootHash, running, received, sendingLimits, awaitSoundStart, log } = init;
  const boot = oneAfterTheOther(init.boot);
  let problem = '';
  let isBusy = false;
  let isTriedOpen = false;
  const inSets =
    <T, Rest extends unknown[]>(work: (folder: string, ...rest: Rest) => Promise<T>) =>
    (slot: string, ...rest: Rest) =>
      work(join(slot, setsFolder), ...rest);
  const known = async (folder: string, name: string): Promise<KnownSet> =>
    (await readSet(folder, name)) ?? { rootHash: name, imageRootHash: '', squashfsBytes: 0, layers: [] };
  const runningIn = (folder: string) => (running === '' ? undefined : known(folder, running));

  async function alone<T>(work: () => Promise<T>): Promise<T> {
    if (isBusy) throw new Fault('unavailable', 'the extensions of this machine are being changed: try again');
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  }

  const notKeptYet = (reason: string) =>
    `${running === '' ? 'the removal of the set' : `the set ${running}`} is not kept yet: ${reason}`;

  /** Whether what this start tries may replace what it would have otherwise. */
  async function isSound(): Promise<boolean> {
    const sound = await awaitSoundStart((problems) => {
      log.warn({ set: running, problems }, 'what was tried is not kept yet: a restart goes back');
      problem = notKeptYet(problems.join(', '));
    });
    if (sound) problem = '';
    return sound;
  }

  return {
    status: shareWork(() =>
      boot.read(
        inSets(async (folder): Promise<SetsStatus> => {
          const { next, ...names } = await readSetNames(folder);
          const isTried = planSetStart({ next, ...names }, running).keepsTried;
          return {
            running: await runningIn(folder),
            problem: problem === '' && isTried ? notKeptYet('the machine starts') : problem,
            next: next === undefined ? undefined : next === noSet ? 'no set' : await known(folder, next),
          };
        }),
      ),
    ),
    install: (archive) =>
      alone(async () => {
        try {
          await receiveArchive(archive, received, sendingLimits);
          const trust = { certificates: await certificates(), imageRootHash };
          const set = await verifyExtensionSet(piecesOf(received), trust);
          const { rootHash } = set.description;
          await boot.write(
            inSets(async (folder, flush: () => void) => {
              await placeSet(folder, set, { archive: received, isTriedOpen });
              // BOOT of an older image has no journal. A start may try only a set of which the disk also has the map of used blocks.
              flush();
              await nameNext(folder, rootHash);
              // One that no start has tried is replaced.
              await removeOthers(folder, isTriedOpen);
            }),
          );
          log.info({ set: rootHash }, 'a set of extensions is installed: the next start tries it');
          return set.description;
        } finally {
          await rm(received, { force: true });
        }
      }),
    remove: () =>
      alone(() =>
        boot.write(
          inSets(async (folder) => {
            const { next, active } = await readSetNames(folder);
            if (next === undefined && active === undefined && running === '')
              throw new Fault('failed-precondition', 'this machine has no set of extensions');
            await nameNext(folder, noSet);
            log.info({}, 'the next start has no set of extensions');
            return runningIn(folder);
          }),
        ),
      ),
    async settle() {
      try {
        const { names, others } = await boot.read(
          inSets(async (folder) => ({ names: await readSetNames(folder), others: await listOthers(folder) })),
        );
        const start = planSetStart(names, running);
        problem = start.problem;
        if (problem !== '') log.error({ problem }, 'a set of extensions is not in use');
        if (start.keepsTried === undefined && others.length === 0) return;
        isTriedOpen = start.keepsTried === false;
        if (start.keepsTried && !(await isSound())) return;
        // A set that is installed meanwhile has the name `next` only.
        await boot.write(
          inSets(async (folder) => {
            if (start.keepsTried) await keepTried(folder, names.tried === noSet);
            else if (isTriedOpen) await dropTried(folder);
            await removeOthers(folder, isTriedOpen);
          }),
        );
        if (start.keepsTried) log.info({ set: running }, 'the extensions that were tried are kept');
      } catch (error) {
        log.error({ error: faultFrom(error).message }, 'the sets of extensions cannot be read');
      }
    },
  };
}

/** The partition is mounted for one use at a time. */
function oneAfterTheOther(boot: BootPartition): BootPartition {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
  return {
    read: (work) => inTurn(() => boot.read(work)),
    write: (work) => inTurn(() => boot.write(work)),
  };
}

const piecesOf = (path: string) =>
  createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>;
