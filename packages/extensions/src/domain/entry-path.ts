import { extensionLimits } from './extension-limits.ts';
import { refused } from './refused.ts';

/** A text of a source in a message: control characters and quotes would let it look like something else. */
export const shown = (text: string) =>
  JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text).replaceAll(
    /[^\x20-\x7e\u2026]/g,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

// The replacement character stands for bytes that are not UTF-8.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const unreadable = /[\x00-\x1f\x7f\ufffd]/;
const byteLength = (text: string) => new TextEncoder().encode(text).length;

/**
 * The path of an entry below the root of the extension; empty for the root itself. `./` in front and `/` behind are left out.
 *
 * @throws Fault `invalid-argument` for a name that is not such a path
 */
export function entryPath(name: string): string {
  if (unreadable.test(name)) throw refused(`the name ${shown(name)} has control characters or is not UTF-8`);
  if (name.startsWith('/')) throw refused(`the name ${shown(name)} begins with a slash`);
  const path = name.replace(/^(?:\.\/)+/, '').replace(/\/$/, '');
  if (path === '' || path === '.') {
    if (name === '') throw refused('an entry has no name');
    return '';
  }
  const parts = path.split('/');
  if (parts.includes('..')) throw refused(`the name ${shown(name)} has a part ".."`);
  if (parts.includes('') || parts.includes('.'))
    throw refused(`the name ${shown(name)} has an empty part or a part "."`);
  if (byteLength(path) > extensionLimits.pathBytes)
    throw refused(`the name ${shown(name)} has more than ${extensionLimits.pathBytes} bytes`);
  if (parts.some((part) => byteLength(part) > extensionLimits.nameBytes))
    throw refused(`the name ${shown(name)} has a part of more than ${extensionLimits.nameBytes} bytes`);
  if (parts.length > extensionLimits.depth)
    throw refused(`the name ${shown(name)} has more than ${extensionLimits.depth} parts`);
  return path;
}

/** @throws Fault `invalid-argument` for a text that cannot be the target of a link */
export function checkTargetText(path: string, target: string): void {
  if (target === '') throw refused(`/${path} is a link without a target`);
  if (unreadable.test(target))
    throw refused(`/${path} is a link to ${shown(target)}, which has control characters or is not UTF-8`);
  if (byteLength(target) > extensionLimits.targetBytes)
    throw refused(`/${path} is a link whose target has more than ${extensionLimits.targetBytes} bytes`);
}
