import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeClusterState } from '../domain/cluster-state.ts';
import { clusterJaeger } from './cluster-jaeger.ts';

test('only a cluster of containers has a Jaeger of its own, at a port of this machine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jaeger-'));
  try {
    assert.equal(await clusterJaeger(join(folder, 'nothing')), undefined);
    assert.equal(await clusterJaeger(folder), undefined);
    const state = {
      ...{ name: 'lab', phase: 'created' as const, shape: { controlPlanes: 1, workers: 0 }, patchDigest: '' },
      nodes: [],
    };
    const ports = { otlpPort: 2, publishedPorts: {}, tag: 'dev', engine: {} };
    const jaegerOf = async (text: string) => {
      writeFileSync(join(folder, 'state.yaml'), text);
      return clusterJaeger(folder);
    };
    const onDocker = (jaegerPort: number) =>
      encodeClusterState({ ...state, provisioner: 'docker', stack: { ...ports, jaegerPort } });
    assert.equal(await jaegerOf(encodeClusterState({ ...state, provisioner: 'process' })), undefined);
    assert.equal(await jaegerOf(onDocker(0)), undefined);
    assert.equal(await jaegerOf(onDocker(16687)), 'http://127.0.0.1:16687');
    await assert.rejects(jaegerOf('provisionername: ['), { kind: 'data-loss' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
