/**
 * What the kernel takes as the name of a link. For `%d` it puts a number, so a link with such a name would never be found. Source: Linux,
 * net/core/dev.c, dev_valid_name() and dev_alloc_name().
 */
const valid = /^(?!\.{1,2}$)[^\s/:%\p{Cc}]+$/u;
const maxBytes = 15;
/** `IFALIASZ` of <linux/if.h> counts the byte after the last one. */
const maxAliasBytes = 255;
const maxShown = 40;

export const isLinkName = (name: string) => valid.test(name) && Buffer.byteLength(name) <= maxBytes;

/** Whether a link can have this alias. Those of our documents reach the console and the log, so they have no control characters. */
export const isAlias = (alias: string) =>
  alias !== '' && Buffer.byteLength(alias) <= maxAliasBytes && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(alias);

/**
 * A name for people. Lines with names reach the console and the log, so one that no link can have is quoted and shortened.
 *
 * @param name may also be an alias, which has other limits
 */
export function shownName(name: string): string {
  if (isLinkName(name)) return name;
  return JSON.stringify(name.length > maxShown ? `${name.slice(0, maxShown)}...` : name);
}

/** Characters of a long line: its beginning, and its end, which has the reason. */
const longLine = { head: 200, tail: 100 } as const;

/** A line that quotes what others have written, such as the kernel's command line, and reaches the console: without control characters, and not long. */
export function shownLine(line: string): string {
  const printable = line.replaceAll(/\p{C}/gu, '?');
  const { head, tail } = longLine;
  return printable.length <= head + tail
    ? printable
    : `${printable.slice(0, head)}…${printable.slice(-tail)}`;
}
