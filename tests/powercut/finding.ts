/** What the checker has found on a disk. */
export interface Finding {
  readonly image: number;
  /** Labels of the partitions before anything was changed. */
  readonly labels: readonly string[];
  /** The values of META, by their keys. */
  readonly meta: Readonly<Record<string, string>>;
  /** SHA-256 of the configuration in hex; undefined when there is none. */
  readonly configuration?: string | undefined;
  /** Root hashes of sets of extensions by the file that names them, such as `next`; undefined when BOOT was not examined. */
  readonly sets?: Readonly<Record<string, string>> | undefined;
  /** SHA-256 of the root file system on BOOT in hex, as for `sets`. */
  readonly root?: string | undefined;
  /** Why a machine could not use the disk. */
  readonly failure?: string;
}

/** The serial number of the disk with this image, and how the checker recognises it. */
export const serialOfImage = (image: number) => `image-${image}`;
export const imageSerial = /^image-(\d+)$/;

const begin = 'powercut finding ';
/** The line of the console after the last finding. */
export const doneLine = 'powercut done';

export const findingLine = (finding: Finding) => `${begin}${JSON.stringify(finding)}`;

/** The findings on a console. */
export function readFindings(console: string): Finding[] {
  return console
    .split('\n')
    .filter((line) => line.includes(begin))
    .map((line) => JSON.parse(line.slice(line.indexOf(begin) + begin.length).trim()) as Finding);
}
