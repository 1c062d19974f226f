// `make upstream-client`: builds upstream's released talosctl, which tests/upstream runs against our nodes.
import { join } from 'node:path';
import { clientVersion } from './upstream-client/client-program.ts';
import { ensureUpstreamClient } from './upstream-client/ensure-client.ts';

const checkout = join(import.meta.dirname, '..');
const note = (line: string) => void process.stdout.write(`upstream-client: ${line}\n`);

try {
  const { program, built } = ensureUpstreamClient({ checkout, environment: process.env, note });
  note(`talosctl ${clientVersion} ${built ? 'built' : 'is there'}, ${program}`);
} catch (error) {
  process.stderr.write(`upstream-client: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
