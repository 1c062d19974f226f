import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { Backend } from './harness/backend.ts';

const memory = '/machine.MachineService/Memory';

test('calls fail and name machined while it is away, and the first one after its return succeeds', async () => {
  await using apid = await ApidUnderTest.start();
  const admin = await apid.client();
  const socket = join(apid.folder, 'machined.sock');
  assert.equal((await admin.call(memory)).code, 0);

  await apid.machined[Symbol.asyncDispose]();
  assert.equal(existsSync(socket), false);
  const away = await admin.call(memory);
  assert.deepEqual(
    [away.code, away.message],
    [14, `machined on node01 is not reachable: connect ENOENT ${socket}`],
  );

  apid.use(await Backend.unix(socket));
  assert.equal((await admin.call(memory)).code, 0);
});

test('sockets below a folder of 200 characters work', async () => {
  await using apid = await ApidUnderTest.start({ folder: join('f'.repeat(120), 'g'.repeat(80)) });
  const admin = await apid.client();
  assert.equal((await admin.call(memory)).code, 0);
});
