/** Arguments without which a machine does not start, with their values. Source: Talos v1.14: kernel command line. */
const required: Readonly<Record<string, string>> = { slab_nomerge: '', pti: 'on' };

/**
 * Why a machine must not run with this command line of the kernel; undefined when it may. Of an argument that is given
 * twice, the first one counts.
 */
export function kernelArgumentProblem(commandLine: string): string | undefined {
  const words = commandLine.trim().split(/\s+/);
  const missing = Object.entries(required)
    .filter(([name, value]) => valueOfArgument(words, name) !== value)
    .map(([name, value]) => `${name}=${value}`);
  if (missing.length === 0) return undefined;
  return `the kernel was started without ${missing.join(' and ')}, which protect it against programs: add them to its command line`;
}

function valueOfArgument(words: readonly string[], name: string): string | undefined {
  const word = words.find((each) => each === name || each.startsWith(`${name}=`));
  return word?.slice(name.length + 1);
}
