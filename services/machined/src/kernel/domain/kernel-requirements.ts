/** Arguments without which a machine does not start, with their values. Source: Talos v1.14: kernel command line. */
const required: Readonly<Record<string, string>> = { slab_nomerge: '', pti: 'on' };

/** The last argument of the image: what follows it was added by the firmware or a hypervisor, and is not signed. */
const lastSigned = 'nodewright.roothash=';
/** Arguments that may be added: the address of a machine is not known when its image is signed. */
const addable = /^ip=/;

export interface KernelStart {
  /** Content of `/proc/cmdline`. */
  readonly commandLine: string;
  /** Whether the firmware verifies what it starts. */
  readonly isSecureBootOn: boolean;
}

/**
 * Why a machine must not run with this command line of the kernel; undefined when it may. Of an argument that is given
 * twice, the first one counts.
 */
export function kernelArgumentProblem({ commandLine, isSecureBootOn }: KernelStart): string | undefined {
  const words = commandLine.trim().split(/\s+/);
  const missing = Object.entries(required)
    .filter(([name, value]) => valueOfArgument(words, name) !== value)
    .map(([name, value]) => `${name}=${value}`);
  if (missing.length > 0)
    return `the kernel was started without ${missing.join(' and ')}, which protect it against programs: add them to its command line`;
  const added = isSecureBootOn ? addedWords(words) : [];
  if (added.length === 0) return undefined;
  return `with Secure Boot nothing but ip= may be added to the kernel's command line: remove ${added.join(' ')}`;
}

function addedWords(words: readonly string[]): string[] {
  const last = words.findIndex((word) => word.startsWith(lastSigned));
  return words.slice(last + 1).filter((word) => !addable.test(word));
}

function valueOfArgument(words: readonly string[], name: string): string | undefined {
  const word = words.find((each) => each === name || each.startsWith(`${name}=`));
  return word?.slice(name.length + 1);
}
