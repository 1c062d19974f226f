/** Version information that a program reports about itself. */
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

/**
 * The lines of `talosctl version` for one program. Source: Talos v1.14: version.
 *
 * @param field escapes a value for output
 */
export function versionBlock(
  { tag, sha, built, goVersion, os, arch }: VersionBlock,
  field = (text: string) => text,
): string {
  return [
    versionLine('Tag', field(tag)),
    versionLine('SHA', field(sha)),
    versionLine('Built', field(built)),
    versionLine('Go version', field(goVersion)),
    versionLine('OS/Arch', field(`${os}/${arch}`)),
  ].join('');
}
