/**
 * Returns the destinations of the kernel's log from the kernel command line. Source: Talos v1.14: kernel
 * command line.
 */
export function kernelLogUrls(cmdline: string): string[] {
  const name = 'talos.logging.kernel=';
  return cmdline
    .trim()
    .split(/\s+/)
    .filter((word) => word.startsWith(name))
    .map((word) => word.slice(name.length));
}
