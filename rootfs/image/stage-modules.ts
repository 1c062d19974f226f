import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inOrder, type KernelModule, selectModules } from '../initramfs/kernel-modules.ts';

/**
 * Makes a folder with modules as the root has them: their files, the index `modules.dep` by which they are loaded, the list
 * `modules.alias` of the devices that they drive, the list of those that are part of the kernel, and the list of those that containers need.
 *
 * @param kernel the unpacked package of the kernel
 */
export function stageModules(
  kernel: string,
  {
    forContainers,
    others,
  }: { readonly forContainers: readonly string[]; readonly others: readonly string[] },
  target: string,
): void {
  const [folder] = globSync('usr/lib/modules/*', { cwd: kernel });
  if (folder === undefined) throw new Error('the package of the kernel has no modules');
  const modules = selectModules(kernel, [...forContainers, ...others]);
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), content);
  };
  for (const { path, content } of modules) write(join(folder, path), content);
  write(join(folder, 'modules.dep'), moduleIndex(modules));
  write(join(folder, 'modules.alias'), moduleAliases(modules));
  write(join(folder, 'modules.builtin'), readFileSync(join(kernel, folder, 'modules.builtin')));
  write('usr/lib/modules-load.d/containers.conf', `${forContainers.join('\n')}\n`);
}

/** The text of `modules.dep`: behind each module everything that it needs, the ones to load first last. */
export function moduleIndex(modules: readonly Pick<KernelModule, 'file' | 'path' | 'needs'>[]): string {
  const byFile = new Map(modules.map((module) => [module.file, module]));
  const needsOf = (file: string) => byFile.get(file)?.needs ?? [];
  const lines = modules.map(({ file, path }) => {
    const needed = inOrder(needsOf(file), needsOf);
    const paths = needed.toReversed().map((need) => byFile.get(need)?.path ?? need);
    return `${path}:${paths.map((need) => ` ${need}`).join('')}`;
  });
  return `${lines.sort().join('\n')}\n`;
}

/** The text of `modules.alias`. */
export function moduleAliases(modules: readonly Pick<KernelModule, 'file' | 'aliases'>[]): string {
  const lines = modules.flatMap(({ file, aliases }) => {
    const name = file.slice(0, file.indexOf('.')).replaceAll('-', '_');
    return aliases.map((alias) => `alias ${alias} ${name}\n`);
  });
  return lines.sort().join('');
}
