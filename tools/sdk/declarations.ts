// Makes the declarations of the client complete without node_modules: imports become relative, and
// unreachable files are dropped.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A declaration file under its path below the folder of types: `client/index.d.ts`. */
type Declarations = ReadonlyMap<string, string>;

const named = /^(import|export)( type)? \{([^}]*)\} from ['"]@nodewright\/([^/'"]+)(?:\/([^'"]+))?['"];?$/gm;
const ownSpecifier = /(\bfrom\s+|\bimport\()(['"])(\.[^'"]+)\.ts\2/g;

/**
 * Moves the declarations that the compiler left in `staging` (as `packages/<name>/src/...`) to `types`. Only
 * those that `entries` reach are moved, and each import is changed to the file that declares the name.
 */
export function moveDeclarations(staging: string, types: string, entries: readonly string[]): void {
  const all: Declarations = new Map(
    globSync('packages/*/src/**/*.d.ts', { cwd: staging }).map((file) => [
      file.replace(/^packages\/([^/]+)\/src\//, '$1/'),
      readFileSync(join(staging, file), 'utf8'),
    ]),
  );
  const moved = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (moved.has(file)) continue;
    moved.add(file);
    const text = withOwnImports(all, file);
    for (const [, , , specifier = ''] of text.matchAll(/(\bfrom\s+|\bimport\()(['"])(\.[^'"]+)\.js\2/g)) {
      waiting.push(`${join(dirname(file), specifier)}.d.ts`);
    }
    const target = join(types, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

function withOwnImports(all: Declarations, file: string): string {
  const text = all.get(file);
  if (text === undefined) throw new Error(`there is no declaration ${file}`);
  const way = (target: string) => {
    const path = relative(dirname(file), target).replace(/\.d\.ts$/, '.js');
    return path.startsWith('.') ? path : `./${path}`;
  };
  const split = text.replace(named, (_all, verb, type = '', names: string, name: string, path?: string) =>
    names
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => {
        const target =
          path === undefined ? homeOf(all, name, one) : `${name}/${path.replace(/\.ts$/, '.d.ts')}`;
        return `${verb}${type} { ${one} } from '${way(target)}';`;
      })
      .join('\n'),
  );
  const own = split.replace(ownSpecifier, '$1$2$3.js$2');
  if (/['"]@nodewright\//.test(own)) throw new Error(`${file} imports a package of this house in a new way`);
  return own;
}

/** The file of a package that declares a name. */
function homeOf(all: Declarations, name: string, specifier: string): string {
  const symbol =
    specifier
      .replace(/^type /, '')
      .split(' as ')[0]
      ?.trim() ?? '';
  const declares = new RegExp(
    `^export (declare )?(abstract )?(interface|type|class|function|const|namespace) ${symbol}\\b`,
    'm',
  );
  for (const [file, text] of all) if (file.startsWith(`${name}/`) && declares.test(text)) return file;
  throw new Error(`@nodewright/${name} declares no ${symbol}`);
}
