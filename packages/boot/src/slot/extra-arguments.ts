// Arguments of the kernel that the configuration adds to those of an image. Source: Talos v1.14: installation.

/** The kernel cuts a longer line on x86, without a word. The last byte ends the text. */
export const commandLineCharacters = 2047;
/** What a configuration may add. */
export const extraArgumentLimits = { words: 64, wordCharacters: 512 } as const;

/** Words of an image begin with it: its slot, its extensions and its root hash. */
const ownPrefix = 'nodewright.';
/** Arguments without which a machine does not start, or starts something else than the image: they are neither added nor removed. */
const fixed: ReadonlySet<string> = new Set([
  ...['slab_nomerge', 'slab_merge', 'pti', 'nopti', 'module.sig_enforce', 'proc_mem.force_override'],
  ...['bdev_allow_write_mounted', 'init', 'rdinit', 'initrd', 'noinitrd', 'root', 'rootfstype'],
]);
/** One of a configuration replaces all those of the image. Source: Talos v1.14: kernel arguments. */
const replaced: ReadonlySet<string> = new Set(['console', 'talos.platform']);
/** Printable characters of ASCII, without those that GRUB interprets, and without quotation marks, which the kernel interprets. */
const plain = /^[!%()*+,./0-9:=?@A-Z[\]^_a-z~-]+$/;

/** In seconds, or below zero for at once. With 0 a kernel that panics waits for somebody. Source: Linux, Documentation/admin-guide/kernel-parameters.txt. */
const restartsAfterPanic = /^panic=-?0*[1-9]\d*$/;

const nameOf = (word: string) => word.replace(/^-/, '').split('=')[0] ?? '';

/**
 * Why a machine does not get these arguments; undefined when it may. A word with `-` in front removes an argument of the image.
 *
 * @param line the command line of the image
 */
export function extraArgumentProblem(line: string, extra: readonly string[]): string | undefined {
  if (extra.length > extraArgumentLimits.words)
    return `there are ${extra.length} extra kernel arguments, more than ${extraArgumentLimits.words}`;
  for (const word of extra) {
    const problem = wordProblem(word);
    if (problem !== undefined) return `the extra kernel argument ${shown(word)} ${problem}`;
  }
  const { length } = withExtraArguments(line, extra);
  return length > commandLineCharacters
    ? `the kernel's command line would have ${length} characters, and the kernel takes ${commandLineCharacters}`
    : undefined;
}

function wordProblem(word: string): string | undefined {
  if (word.length > extraArgumentLimits.wordCharacters)
    return `has more than ${extraArgumentLimits.wordCharacters} characters`;
  if (!plain.test(word) || nameOf(word) === '')
    return 'has a character that a boot loader interprets, or no name';
  // The kernel takes both characters for the same one in names.
  const name = nameOf(word).replaceAll('-', '_');
  if (name === 'panic' && !restartsAfterPanic.test(word))
    return 'would leave a machine whose kernel panics where it is, so that no trial comes back: give seconds';
  if (name.startsWith(ownPrefix)) return 'belongs to the image, which has its root hash there: remove it';
  return fixed.has(name) ? 'is one that this system needs as it is: remove it' : undefined;
}

const shown = (word: string) => JSON.stringify(word.length > 60 ? `${word.slice(0, 57)}...` : word);

/**
 * The command line of an image with arguments of a configuration: behind those of the image, and before the words that end the line, which
 * name the image. `extraArgumentProblem()` must have found nothing.
 */
export function withExtraArguments(line: string, extra: readonly string[]): string {
  const words = line.trim().split(/\s+/);
  const added = extra.filter((word) => !word.startsWith('-'));
  const gone = new Set([
    ...extra.filter((word) => word.startsWith('-')).map(nameOf),
    ...added.map(nameOf).filter((name) => replaced.has(name)),
  ]);
  const isOwn = (word: string) => word.startsWith(ownPrefix);
  const kept = words.filter((word) => !isOwn(word) && !gone.has(nameOf(word)));
  return [...kept, ...added, ...words.filter(isOwn)].join(' ');
}
