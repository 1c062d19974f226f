/** What a program says of itself. */
export interface VersionBlock {
  readonly tag: string;
  readonly sha: string;
  readonly built: string;
  readonly goVersion: string;
  readonly os: string;
  readonly arch: string;
}

/** One line of the block: a tab, the label, and the value in its column. */
export function versionLine(label: string, value: string): string {
  return `\t${`${label}:`.padEnd(13)}${value}\n`;
}

/** The lines of `talosctl version` for one program. Source: Talos v1.14: version. */
export function versionBlock({ tag, sha, built, goVersion, os, arch }: VersionBlock): string {
  return [
    versionLine('Tag', tag),
    versionLine('SHA', sha),
    versionLine('Built', built),
    versionLine('Go version', goVersion),
    versionLine('OS/Arch', `${os}/${arch}`),
  ].join('');
}
