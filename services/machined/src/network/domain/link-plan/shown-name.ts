/**
 * What the kernel takes as the name of a link. For `%d` it puts a number, so a link with such a name would never be found. Source: Linux,
 * net/core/dev.c, dev_valid_name() and dev_alloc_name().
 */
const valid = /^(?!\.{1,2}$)[^\s/:%\p{Cc}]+$/u;
const maxBytes = 15;
const maxShown = 40;

export const isLinkName = (name: string) => valid.test(name) && Buffer.byteLength(name) <= maxBytes;

/**
 * A name for people. Lines with names reach the console and the log, so one that no link can have is quoted and shortened.
 *
 * @param name may also be an alias, which has other limits
 */
export function shownName(name: string): string {
  if (isLinkName(name)) return name;
  return JSON.stringify(name.length > maxShown ? `${name.slice(0, maxShown)}...` : name);
}
