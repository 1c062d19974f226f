// The conformance suite of the OCI distribution specification, with the content of a read-only registry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ensureOutsideProgram } from '../interop/go-programs.ts';
import { openRig } from './open-rig.ts';
import { runProgram } from './run-program.ts';

test('registryd passes the category pull of the suite', async () => {
  const program = ensureOutsideProgram('distribution');
  await using rig = await openRig();
  const { manifest, config, layers } = rig.image;
  // The suite names no registry, so the repository must be known.
  assert.equal((await rig.registryd.manifest('team/app', 'v1')).status, 200);
  const off = ['PUSH', 'TAGS_LIST', 'REFERRER', 'BLOBS_DELETE', 'MANIFESTS_DELETE', 'TAGS_DELETE'];
  const { output } = await runProgram(program, [], {
    ...Object.fromEntries(off.map((name) => [`OCI_API_${name}`, 'false'])),
    // Not for manifests: without their bytes, which a read-only run lacks, the suite looks at no header of their answers.
    OCI_API_BLOBS_DIGEST_HEADER: 'true',
    OCI_REGISTRY: `127.0.0.1:${rig.registryd.port()}`,
    OCI_TLS: 'disabled',
    OCI_REPO1: 'team/app',
    OCI_RO_DATA_TAGS: 'v1',
    OCI_RO_DATA_MANIFESTS: manifest.digest,
    OCI_RO_DATA_BLOBS: [config, ...layers].map(({ digest }) => digest).join(' '),
    // It crashes when it writes its report of a read-only run, after it has printed all outcomes. Without a folder it writes none.
    OCI_RESULTS_DIR: '/dev/null/none',
  });
  const cases = output.matchAll(/^ *OCI Conformance Test\/(.*): (Pass|FAIL|Error|Skip)$/gm);
  const outcomes = new Map([...cases].map(([, name = '', outcome]) => [name, outcome]));
  assert.deepEqual(
    [...outcomes].filter(([, outcome]) => outcome !== 'Pass'),
    [],
    output,
  );
  for (const name of [
    'read-only/pull/manifest-by-tag',
    'read-only/pull/blob-get',
    'read-only/head/blob-head',
  ])
    assert.ok(outcomes.has(name), output);
  assert.match(output, /^OCI Conformance Test: Pass$/m);
});
