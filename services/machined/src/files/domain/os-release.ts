/**
 * Returns the content of `/etc/os-release`. Source: Talos v1.14: files generated under /etc; os-release(5).
 *
 * @param tag the version, such as `v1.14.0`
 */
export function osReleaseFile(tag: string): string {
  return ['NAME="Talos"', 'ID=talos', `VERSION_ID=${tag}`, `PRETTY_NAME="Talos (${tag})"`, ''].join('\n');
}
