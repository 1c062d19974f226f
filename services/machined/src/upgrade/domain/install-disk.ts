// Which disk a system is installed on. A wrong choice destroys data, so each refusal says what disks there are.
import type { Selection } from '@nodewright/machine-config/selectors';

/** A disk, as far as an installation asks for it. */
export interface InstallDisk {
  /** `/dev/vda` */
  readonly path: string;
  /** Paths of links to it. */
  readonly links: readonly string[];
  readonly sizeBytes: number;
  /** Of its logical sectors. */
  readonly sectorBytes: number;
  readonly isReadOnly: boolean;
  readonly isCd: boolean;
  /** Whether the kernel makes it from files or from other devices. */
  readonly isVirtual: boolean;
  /** Whether the machine was started from the medium on it. */
  readonly isMedium: boolean;
  readonly model: string;
  readonly serial: string;
  /** What uses it now, such as `/dev/vda3 is mounted at /var`; undefined when nothing does. */
  readonly user: string | undefined;
  /**
   * What it holds. `system`: one that a machine starts from, whole or not. `begun`: an installation that was interrupted, which starts
   * nothing. `other`: anything else, named in `detail`. `unknown`: it could not be read, for the reason in `detail`.
   */
  readonly content: 'blank' | 'begun' | 'system' | 'other' | 'unknown';
  readonly detail: string;
}

/** What the configuration, or a call, says about the disk. */
export interface InstallWish {
  /** A path of the disk, or of a link to it; empty when a selector chooses. */
  readonly disk: string;
  /** Result of the selector; undefined for an installation without one. */
  readonly selection: Selection | undefined;
  /** Whether what is on the disk may be destroyed; undefined: unless it is a system. */
  readonly wipes: boolean | undefined;
}

export type InstallChoice = { readonly disk: InstallDisk } | { readonly refusal: string };

const listedDisks = 16;
const listedCharacters = 40;
/** Partition tables of this project count in these. */
const supportedSectorBytes = 512;

/**
 * Chooses the disk. What the medium is on, what is read-only, and what the kernel made from other devices is never chosen.
 *
 * @param neededBytes size of the smallest disk that holds the system and its volumes
 * @param disks all of the machine
 */
export function chooseInstallDisk(
  wish: InstallWish,
  disks: readonly InstallDisk[],
  neededBytes: number,
): InstallChoice {
  const found = wishedDisk(wish, disks);
  const problem =
    'problem' in found
      ? found.problem
      : (diskProblem(found.disk, wish, neededBytes) ?? otherSystem(found.disk, disks));
  if (problem === undefined && 'disk' in found) return found;
  return { refusal: `${problem}; ${diskList(disks, neededBytes)}` };
}

function wishedDisk(
  { disk: path, selection }: InstallWish,
  disks: readonly InstallDisk[],
): { readonly disk: InstallDisk } | { readonly problem: string } {
  if (path !== '') {
    const disk = disks.find((one) => one.path === path || one.links.includes(path));
    return disk === undefined ? { problem: `this machine has no disk ${shown(path)}` } : { disk };
  }
  if (selection === undefined) return { problem: 'no disk is named to install on' };
  if ('problem' in selection) return { problem: selection.problem };
  const selected = disks.filter((one) => selection.selected.includes(one.path) && isEverChosen(one));
  const [only, ...others] = selected;
  if (only === undefined) return { problem: 'no disk matched the selector' };
  if (others.length > 0)
    return {
      problem: `the selector matches ${selected.length} disks, ${selected.map(({ path: one }) => one).join(' and ')}: it has to match one`,
    };
  return { disk: only };
}

/** A selector such as `disk.size > 10u * GB` matches these as well. */
const isEverChosen = ({ isCd, isReadOnly, isVirtual, isMedium }: InstallDisk) =>
  !isCd && !isReadOnly && !isVirtual && !isMedium;

function diskProblem(disk: InstallDisk, { wipes }: InstallWish, neededBytes: number): string | undefined {
  const { path, content, detail } = disk;
  if (disk.isCd) return `${path} is a CD-ROM`;
  if (disk.isMedium) return `${path} is the medium that this machine was started from`;
  if (disk.isReadOnly) return `${path} is read-only`;
  if (disk.isVirtual) return `${path} is made from other devices`;
  if (disk.sectorBytes !== supportedSectorBytes)
    return `${path} has sectors of ${disk.sectorBytes} bytes, and only ${supportedSectorBytes} are supported`;
  if (disk.sizeBytes < neededBytes)
    return `${path} has ${gigabytes(disk.sizeBytes)}, and at least ${gigabytes(neededBytes)} are needed`;
  if (disk.user !== undefined) return `${path} is in use: ${disk.user}`;
  if (content === 'unknown') return `${path} cannot be read: ${detail}`;
  if (wipes === true || content === 'blank' || content === 'begun') return undefined;
  if (wipes === undefined && content === 'other') return undefined;
  const what = content === 'system' ? 'has a system' : 'is not empty';
  return `${path} ${what} (${detail}), and is overwritten only when the installation is asked to wipe it`;
}

/** A second disk with a system would be another machine's, or this one's: which of both starts depends on the firmware. */
function otherSystem({ path }: InstallDisk, disks: readonly InstallDisk[]): string | undefined {
  const other = disks.find((one) => one.content === 'system' && one.path !== path && !one.isCd);
  return (
    other && `${other.path} has a system already (${other.detail}): wipe that disk first, or install on it`
  );
}

/** One line with every disk, and why nothing is installed on it. */
export function diskList(disks: readonly InstallDisk[], neededBytes: number): string {
  if (disks.length === 0) return 'this machine has no disks';
  const lines = disks.slice(0, listedDisks).map((disk) => {
    const names = [disk.model, disk.serial && `serial ${disk.serial}`].filter((name) => name !== '').map(cut);
    const problem = diskProblem(disk, { disk: '', selection: undefined, wipes: true }, neededBytes);
    const state = problem?.replace(`${disk.path} `, '') ?? contentText(disk);
    return `${disk.path} (${[gigabytes(disk.sizeBytes), ...names].join(', ')}): ${state}`;
  });
  const more = disks.length > listedDisks ? [`and ${disks.length - listedDisks} others`] : [];
  return `the disks of this machine are ${[...lines, ...more].join('; ')}`;
}

const contentTexts = {
  blank: 'blank',
  begun: 'an interrupted installation',
  system: 'a system',
  other: 'not empty',
};
const contentText = ({ content, detail }: InstallDisk) =>
  content === 'unknown' ? detail : `${contentTexts[content]}${detail === '' ? '' : ` (${detail})`}`;

/** Names come from the disk, which may send anything. */
const cut = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, listedCharacters);
const shown = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text);
const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
