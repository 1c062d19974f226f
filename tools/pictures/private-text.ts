import { hostname, userInfo } from 'node:os';

/** What tells about the machine or its user, or lets somebody in, and so must not be in a picture. */
const always: readonly RegExp[] = [
  /-----BEGIN/,
  /(?:^|[\s"'=(])\/(?:home|root|tmp|work|mnt|src|var\/folders|Users)\b/,
  /\btoken\s*[:=]\s*\S/i,
  /\b[A-Za-z0-9+/]{64,}={0,2}/,
];

/** The parts of a text that must not be in a picture. @param names of this machine and its user; short ones and `root` are not looked for, because they stand in many texts */
export function privateParts(text: string, names: readonly string[] = ownNames()): string[] {
  const found = always.flatMap((pattern) => pattern.exec(text)?.[0].trim() ?? []);
  const named = names.filter((name) => name.length > 3 && name !== 'root' && text.includes(name));
  return [...found, ...named];
}

function ownNames(): string[] {
  return [hostname(), userInfo().username, userInfo().homedir];
}
