import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from './run-tool.ts';

const factsFolder = join(checkout, 'tests/contract/facts');

/**
 * The lines of a table; indented ones are prefixed by the heading above them: `<heading>` and `<heading>:
 * <line>`.
 */
export async function readFactTable(path: string): Promise<string[]> {
  let heading = '';
  const lines = (await readFile(join(factsFolder, path), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    if (line.startsWith('  ')) return `${heading}: ${line.trim()}`;
    heading = line;
    return line;
  });
}

/** Every fact of every upstream package. */
export async function readWireFacts(): Promise<string[]> {
  const files = await readdir(join(factsFolder, 'wire'));
  const tables = await Promise.all(files.sort().map((file) => readFactTable(join('wire', file))));
  return tables.flat();
}
