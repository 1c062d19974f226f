import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extensionsFolder } from '../extensions/extensions-document.ts';

/** The files of every image that are signed, each with `<name>.sig` next to it. */
export const artefacts = [
  'cmdline.txt',
  'contents.json',
  'disk.raw',
  'initramfs',
  'nodewright.efi',
  'rootfs.spdx.json',
  'rootfs.squashfs',
  'rootfs.verity',
  'secure-boot.crt',
  'systemd-boot.efi',
  'vmlinuz',
] as const;

/** The digest of the inputs of an image, which is known, written and signed only when it is complete. */
export const inputsFile = 'inputs.sha256';

const sums = 'SHA256SUMS';
const suffix = '.sig';
const chunkBytes = 1 << 20;

/** The files of this image that are signed: those of every image, the list of their digests, and those that not every image has. */
export function signedFiles(folder: string): string[] {
  const path = join(folder, sums);
  // A file of an extension that is missing now is still in the list of digests.
  const listed = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const names = [...listed.map((line) => line.slice(line.indexOf('  ') + 2)), ...extensionFiles(folder)];
  const found = names.filter((name) => name.startsWith(`${extensionsFolder}/`));
  const hasInputs = [inputsFile, `${inputsFile}${suffix}`].some((name) => existsSync(join(folder, name)));
  return [...artefacts, sums, ...(hasInputs ? [inputsFile] : []), ...[...new Set(found)].sort()];
}

function extensionFiles(folder: string): string[] {
  const path = join(folder, extensionsFolder);
  const names = existsSync(path) ? readdirSync(path) : [];
  return names.filter((name) => !name.endsWith(suffix)).map((name) => `${extensionsFolder}/${name}`);
}

/**
 * Writes the digests of all files, and a signature for each file and for the list of digests. The signed text is the line of `SHA256SUMS`, so that the
 * signature of one file does not fit another.
 */
export function signImage(folder: string, key: KeyObject): void {
  const names = [...artefacts, ...extensionFiles(folder).sort()];
  const lines = names.map((name) => digestLine(folder, name));
  writeFileSync(join(folder, sums), lines.join(''));
  for (const [index, name] of names.entries()) signLine(folder, name, lines[index] ?? '', key);
  signFile(folder, sums, key);
}

/** Writes a signature next to a file of `folder`. */
export function signFile(folder: string, name: string, key: KeyObject): void {
  signLine(folder, name, digestLine(folder, name), key);
}

function signLine(folder: string, name: string, line: string, key: KeyObject): void {
  const signature = sign(null, Buffer.from(line), key);
  writeFileSync(join(folder, `${name}${suffix}`), `${signature.toString('base64')}\n`);
}

/**
 * Compares all files with their signatures.
 *
 * @returns a line for each problem, which names the file; empty for an image as it was signed
 */
export function imageProblems(folder: string, key: KeyObject): string[] {
  return signedFiles(folder).flatMap((name): string[] => {
    const signaturePath = join(folder, `${name}${suffix}`);
    if (!existsSync(join(folder, name))) return [`${name} is missing`];
    if (!existsSync(signaturePath)) return [`${name} has no signature`];
    const signature = Buffer.from(readFileSync(signaturePath, 'utf8').trim(), 'base64');
    const isSigned = verify(null, Buffer.from(digestLine(folder, name)), key, signature);
    return isSigned ? [] : [`${name} is not the file that was signed with this key`];
  });
}

/** A line in the format of `sha256sum --check`. */
function digestLine(folder: string, name: string): string {
  return `${digestOf(join(folder, name))}  ${name}\n`;
}

/** SHA-256 of a file that may be larger than memory, in hex. */
function digestOf(path: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  const file = openSync(path, 'r');
  try {
    for (let bytes = readSync(file, chunk); bytes > 0; bytes = readSync(file, chunk))
      hash.update(chunk.subarray(0, bytes));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
