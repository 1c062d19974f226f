// `make rootfs-lock`: writes the newest versions of the packages of the image into packages.lock.json.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianMirror, withApt } from '../tools/engine/unpack-packages.ts';
import { architectures } from '../tools/images/architecture.ts';
import { lockFile, parsePrintedUris } from './debian/package-lock.ts';
import { debianSuite, parts, toolPackages } from './recipe.ts';

const wanted = new Set<string>([
  ...parts.filter(({ source }) => source.kind === 'debian').map(({ name }) => name),
  ...toolPackages,
]);

const mirror = debianMirror();
const packages = Object.fromEntries(
  architectures.map((architecture) => [
    architecture,
    withApt({ suite: debianSuite, architecture }, ({ run }) =>
      parsePrintedUris(run(['download', '--print-uris', ...wanted]), mirror),
    ),
  ]),
);
for (const architecture of architectures) {
  const missing = [...wanted].filter((name) => packages[architecture]?.[name] === undefined);
  if (missing.length > 0) throw new Error(`the mirror has no ${missing.join(', ')} for ${architecture}`);
}
const snapshot = new Date().toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
const path = join(import.meta.dirname, '..', lockFile);
writeFileSync(path, `${JSON.stringify({ suite: debianSuite, snapshot, packages }, undefined, 2)}\n`);
process.stdout.write(`locked ${wanted.size} packages for ${architectures.join(' and ')} in ${lockFile}\n`);
