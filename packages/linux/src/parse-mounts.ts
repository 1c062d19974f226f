/** A line of `/proc/mounts`. Texts are as the kernel prints them: blanks in them are octal escapes. */
export interface Mount {
  readonly source: string;
  readonly mountPoint: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** Parses `/proc/mounts`, in the kernel's order. Lines with fewer than four columns are left out. */
export function parseMounts(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split('\n')) {
    const [source, mountPoint, type, options] = line.split(' ');
    if (source === undefined || mountPoint === undefined || type === undefined || options === undefined)
      continue;
    mounts.push({ source, mountPoint, type, options: options.split(',') });
  }
  return mounts;
}

/** The path of a mount point with its escapes decoded (`\040` is a blank), for use in system calls. */
export function pathFromMountPoint(mountPoint: string): string {
  return mountPoint.replace(/\\([0-3][0-7]{2})/g, (_match, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
