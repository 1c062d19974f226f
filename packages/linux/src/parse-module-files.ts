/** A module of the image. */
export interface ModuleFile {
  /** Below the folder of the kernel's modules. */
  readonly path: string;
  /** Paths of the modules that it needs, in the order of `modules.dep`: each needs only those behind it. */
  readonly needs: readonly string[];
}

/**
 * Parses `modules.dep`, a line for each module: `kernel/net/b.ko.xz: kernel/net/a.ko.xz`. Source: modules.dep(5).
 *
 * @returns the modules by name, as the kernel spells it
 */
export function parseModuleFiles(text: string): Map<string, ModuleFile> {
  const files = new Map<string, ModuleFile>();
  for (const line of text.split('\n')) {
    const [path = '', needs] = line.split(':');
    const name = moduleName(path);
    if (name === undefined || needs === undefined) continue;
    files.set(name, { path, needs: needs.split(' ').filter((need) => need !== '') });
  }
  return files;
}

/** The name of the module in a file; undefined for other files. A dash and an underscore are the same. */
function moduleName(path: string): string | undefined {
  return /(?<![^/])([^/]+)\.ko(\.xz)?$/.exec(path)?.[1]?.replaceAll('-', '_');
}

/**
 * The files to load for a module, in their order: those that it needs first.
 *
 * @returns undefined for a module that the image does not have
 */
export function moduleLoadOrder(files: ReadonlyMap<string, ModuleFile>, name: string): string[] | undefined {
  const file = files.get(name.replaceAll('-', '_'));
  return file && [...file.needs.toReversed(), file.path];
}

/** Parses a list of modules to load: a name on each line, and comments. Source: modules-load.d(5). */
export function parseModuleList(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[#;]/.test(line));
}

/**
 * Parses `modules.builtin`, a list of files: `kernel/fs/ext4/ext4.ko`. The names are those of loaded modules.
 */
export function parseBuiltinModules(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const name = /(?<![^/])([^/]+)\.ko$/.exec(line.trim())?.[1];
    return name === undefined ? [] : name.replaceAll('-', '_');
  });
}

/** Parses `modules.alias`: lines of `alias <pattern> <module>`, and comments. Source: modules.alias(5). */
export function parseModuleAliases(text: string): (readonly [string, string])[] {
  return text.split('\n').flatMap((line) => {
    const [word, pattern, name] = line.trim().split(/\s+/);
    return word === 'alias' && pattern !== undefined && name !== undefined ? [[pattern, name] as const] : [];
  });
}
