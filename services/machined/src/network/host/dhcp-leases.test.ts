import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { readIfThere } from '../../base/host/read-if-there.ts';
import { openDhcpLeases } from './dhcp-leases.ts';

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const [link, hardware, address] = ['eth0', '02:00:00:00:00:02', '10.0.0.7'];

test('a lease from before the volume of the file was mounted is kept on the volume', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leases-'));
  try {
    const path = join(folder, 'state', 'leases.json');
    const text = () => readIfThere(path)?.toString() ?? '';
    const leases = openDhcpLeases(path, log);
    leases.remember(link, hardware, address);
    await eventually(() => text().includes(address), { what: 'the file' });
    // What was written is below the volume now.
    rmSync(join(folder, 'state'), { recursive: true });
    leases.remember(link, hardware, address);
    leases.keep();
    await eventually(() => text().includes(address), { what: 'the file on the volume' });
    assert.equal(openDhcpLeases(path, log).addressOf(link, hardware), address);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
