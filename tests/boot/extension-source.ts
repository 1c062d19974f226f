import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The text of the manifest of an extension. */
export const manifest = (name: string, constraint = '>= v1.10.0') =>
  `version: v1alpha1
metadata:
  name: ${name}
  version: 1.2.3
  author: Example Org
  description: An extension of the tests.
  compatibility:
    talos:
      version: "${constraint}"
`;

/** Writes an extension as a folder, and returns its path. @param files contents by path below the root of machines */
export function writeExtension(
  folder: string,
  name: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'manifest.yaml'), manifest(name));
  for (const [file, content] of Object.entries(files)) {
    const target = join(path, 'rootfs', file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  return path;
}
