// The file in which GRUB keeps variables between starts. It has a fixed size, because GRUB overwrites its sectors in place and cannot
// allocate any. Source: GRUB 2.12, environment block.
import { Fault } from '@nodewright/fault';

/** Variables by name. */
export type Environment = ReadonlyMap<string, string>;

export const environmentBlockBytes = 1024;

/**
 * All variables are in the first sector of the block. A disk writes a sector as a whole or not at all, so a power cut leaves the old or the
 * new variables, no matter whether GRUB or machined was writing: the second sector never changes.
 */
export const environmentBytes = 512;

const signature = '# GRUB Environment Block\n';
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The bytes of a block with these variables.
 *
 * @throws Fault `resource-exhausted` when they need more than the first sector, and `invalid-argument` for a name or a value that GRUB
 *   could not read
 */
export function encodeEnvironmentBlock(environment: Environment): Buffer {
  const lines = [...environment].map(([name, value]) => {
    if (!namePattern.test(name) || !/^[\x20-\x7e]*$/.test(value))
      throw new Fault('invalid-argument', `GRUB cannot keep the variable ${JSON.stringify(name)}`);
    return `${name}=${value.replaceAll('\\', '\\\\')}\n`;
  });
  const text = signature + lines.join('');
  if (text.length > environmentBytes)
    throw new Fault(
      'resource-exhausted',
      `the variables of GRUB need ${text.length} bytes of ${environmentBytes}`,
    );
  return Buffer.from(text.padEnd(environmentBlockBytes, '#'), 'latin1');
}

/**
 * The variables of a block. A block that is damaged counts as empty, as a whole: what GRUB reads of it would depend on where the damage
 * is.
 */
export function parseEnvironmentBlock(block: Uint8Array): Environment {
  if (block.length !== environmentBlockBytes) return new Map();
  const text = Buffer.from(block).toString('latin1');
  if (!text.startsWith(signature)) return new Map();
  const environment = new Map<string, string>();
  for (let at = signature.length; at < text.length; ) {
    const isComment = text[at] === '#';
    const end = endOfLine(text, at);
    // A comment may end with the block, which is how the padding does.
    if (end === undefined) return isComment ? environment : new Map();
    if (!isComment) {
      const line = text.slice(at, end);
      const equals = line.indexOf('=');
      const name = line.slice(0, equals);
      if (equals < 0 || !namePattern.test(name)) return new Map();
      environment.set(name, line.slice(equals + 1).replaceAll(/\\([\s\S])/g, '$1'));
    }
    at = end + 1;
  }
  return environment;
}

/** A line feed behind a backslash is a part of the value. */
function endOfLine(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at += text[at] === '\\' ? 2 : 1) if (text[at] === '\n') return at;
  return undefined;
}
