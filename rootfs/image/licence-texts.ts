import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { moduleFolderOf, readModuleLock } from './npm-components.ts';
import { type Entry, pathsBelow } from './place-files.ts';

/** The part of the image that all texts belong to. */
export const licencePart = 'texts of licences';

/** Text of licences by path below the root. */
export type LicenceTexts = Map<string, string>;

/**
 * The texts of a package of Debian, from the folder into which it was unpacked. Source: Debian policy, copyright information.
 *
 * @param base folder with the packages to which others point for their texts
 * @throws Error that names a package without a text
 */
export function debianLicence(
  id: string,
  folder: string,
  base: string,
): readonly [path: string, text: string] {
  // A kernel is locked under another name than that of its package.
  const [own] = globSync('usr/share/doc/*/copyright', { cwd: folder });
  const found = own === undefined ? linkedText(folder, base) : join(folder, own);
  if (found === undefined) throw new Error(`the package ${id} has no text of its licence`);
  return [`usr/share/doc/${id}/copyright`, readFileSync(found, 'utf8')];
}

/** Packages of one source may have a link to the folder of another one, which is in `base`, instead of a text. */
function linkedText(folder: string, base: string): string | undefined {
  const docs = join(folder, 'usr/share/doc');
  const names = existsSync(docs) ? readdirSync(docs) : [];
  return names
    .map((name) => join(docs, name))
    .filter((path) => lstatSync(path).isSymbolicLink())
    .map((path) => join(base, 'usr/share/doc', readlinkSync(path), 'copyright'))
    .find((path) => existsSync(path));
}

/**
 * The texts of the npm packages in bundles. A package without one is named in a line with the licence that it declares.
 *
 * @param files of which the bundles were made, below the checkout
 */
export function npmLicences(checkout: string, files: readonly string[]): LicenceTexts {
  const lock = readModuleLock(checkout);
  const folders = new Set(files.flatMap((file) => moduleFolderOf(file, lock) ?? []));
  return new Map(
    [...folders].map((folder) => {
      const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const { version, license } = lock[folder] ?? { version: '' };
      const none = `The package ${name} ${version} has no text of its licence; it declares ${license}.\n`;
      return [`usr/share/licenses/npm/${name}/${version}.txt`, npmLicence(join(checkout, folder)) ?? none];
    }),
  );
}

/** The texts in the folder of an npm package, one after the other; `undefined` without any. */
export function npmLicence(folder: string): string | undefined {
  const names = readdirSync(folder)
    .filter((name) => /^(?:licen[cs]es?|copying|notice)(?:[.-].*)?$/i.test(name))
    .filter((name) => lstatSync(join(folder, name)).isFile())
    .toSorted();
  if (names.length === 0) return undefined;
  return names.map((name) => `${readFileSync(join(folder, name), 'utf8').trimEnd()}\n`).join('\n');
}

/** Writes the texts, and the common licences of Debian, which many of them name. */
export function placeLicences(root: string, texts: LicenceTexts, base: string): Entry[] {
  for (const [path, text] of texts) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const common = 'usr/share/common-licenses';
  cpSync(join(base, common), join(root, common), { recursive: true, verbatimSymlinks: true });
  const paths = [...texts.keys(), ...pathsBelow(join(root, common)).map((name) => join(common, name))];
  return paths.map((path) => ({ path, bytes: lstatSync(join(root, path)).size, part: licencePart }));
}
