import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { roles } from '@nodewright/contract';
import type { ApidUnderTest } from '../contract/apid/harness/apid-under-test.ts';
import type { StubNode } from './stub-nodes.ts';

const checkout = join(import.meta.dirname, '..', '..');
const program = join(checkout, '_out', 'dist', 'talosctl', 'talosctl.cjs');
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Runs `talosctl version` for all nodes. Returns its duration in milliseconds; throws when a node is missing. */
export async function timeTalosctl(apid: ApidUnderTest, nodes: readonly StubNode[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'scale-'));
  try {
    const { certificate, key } = await apid.authority.issue({ subject: { organizations: [roles.admin] } });
    const talosconfig = join(folder, 'talosconfig');
    const context = {
      endpoints: [apid.host],
      ca: base64(apid.authority.certificate),
      crt: base64(certificate),
      key: base64(key),
    };
    // Every JSON document is a YAML document.
    const text = JSON.stringify({ context: 'scale', contexts: { scale: context } });
    writeFileSync(talosconfig, text, { mode: 0o600 });
    const names = nodes.map(({ name }) => name).join(',');
    const begun = performance.now();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, '--talosconfig', talosconfig, '-n', names, 'version'],
      { env: { PATH: process.env.PATH, HOME: folder }, maxBuffer: 16 * 1024 * 1024 },
    );
    const durationMs = performance.now() - begun;
    const missing = nodes.filter(({ name }) => !stdout.includes(name));
    if (missing.length > 0)
      throw new Error(`talosctl shows ${nodes.length - missing.length} nodes:\n${stdout}`);
    return durationMs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
