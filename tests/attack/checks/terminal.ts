import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../cluster/run-talosctl.ts';
import type { AttackCheck } from './check.ts';

/**
 * Titles, colours, a cleared screen, a terminal query, bidirectional marks, and a carriage return over a
 * name.
 */
const hostile = [
  '\x1b]0;title\x07',
  '\x1b[2J\x1b[H',
  '\x1b[31mred',
  '\x9b31m',
  '\u202eevil\u202c',
  'a\rnode02: all is well',
  '\x1bP+q544e\x1b\\',
].join('\n');

/** The escape sequences that our own output may contain: colours, and "erase to end of line" for progress. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const ownSequences = /\x1b\[(?:\d{1,3}(?:;\d{1,3})*)?[mK]/g;

export const terminal: AttackCheck = {
  name: 'terminal',
  what: 'a file of a node with control sequences, read on a terminal',
  async run({ target, cluster }) {
    const folder = join(target.entry.root, 'var', 'attack');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'hostile'), hostile);
    const words = `${join(checkout, 'bin', 'talosctl')} -n ${target.entry.address} read /var/attack/hostile`;
    const env = { ...process.env, TALOS_HOME: cluster.home, TERM: 'xterm' };
    const { stdout, status } = spawnSync('script', ['-qec', words, '/dev/null'], { env, encoding: 'utf8' });
    // The terminal driver adds a carriage return to each line.
    const shown = stdout.replaceAll('\r\n', '\n').replaceAll(ownSequences, '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    const raw = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/u.exec(shown)?.[0];
    return {
      summary: `exit ${status}, ${stdout.length} characters`,
      problems: [
        ...(status === 0 ? [] : [`the command ended with ${status}: ${stdout.slice(0, 200)}`]),
        ...(raw === undefined ? [] : [`the terminal was sent ${JSON.stringify(raw)}`]),
        ...(shown.includes('evil') ? [] : ['the file was not shown']),
      ],
    };
  },
};
