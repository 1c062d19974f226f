import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EncodedSpec, type Metadata } from '@nodewright/state';
import { shownResource } from './shown-resource.ts';

const metadata: Metadata = {
  ...{ namespace: 'runtime', type: 'Things.talos.dev', id: 'one', version: 2, owner: '', phase: 'running' },
  ...{ finalizers: [], labels: {}, annotations: {}, createdMs: 0, updatedMs: 0 },
};
const nothing = new EncodedSpec('', new Uint8Array());

test('shownResource() accepts an empty spec only for a destroyed resource', () => {
  assert.equal(shownResource('a', { metadata, spec: nothing }, 'destroyed').spec, null);
  for (const event of ['created', 'updated', undefined] as const) {
    assert.throws(
      () => shownResource('a', { metadata, spec: nothing }, event),
      /\(runtime\/one\) has no YAML spec$/,
    );
  }
});

test('shownResource() keeps all digits of a number and the YAML text of the node', () => {
  const yaml = 'size: 18446744073709551615\nratio: 0.50\n';
  const shown = shownResource('a', { metadata, spec: new EncodedSpec(yaml, new Uint8Array()) });
  assert.deepEqual([shown.spec, shown.yaml], [{ size: 18446744073709551615n, ratio: 0.5 }, yaml]);
});
