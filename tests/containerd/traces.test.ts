import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutArchive } from '@nodewright/containers/testing';
import { noTelemetry, type SpanOptions, type Telemetry } from '@nodewright/telemetry';
import { imageWith, openRuntime } from './bench.ts';
import { noContainerd, startContainerd } from './start-containerd.ts';

test('every call to containerd is one client span, which ends', {
  skip: noContainerd,
  timeout: 120_000,
}, async () => {
  const spans: { name: string; kind: SpanOptions['kind']; ended: boolean }[] = [];
  const telemetry: Telemetry = {
    ...noTelemetry,
    enabled: true,
    startSpan(name, options = {}) {
      const span = { name, kind: options.kind, ended: false };
      spans.push(span);
      const end = () => {
        span.ended = true;
      };
      return { ...noTelemetry.startSpan(name, options), setAttributes() {}, addEvent() {}, fail() {}, end };
    },
    withSpan: (_span, body) => body(),
  };
  await using containerd = await startContainerd();
  await using runtime = openRuntime(containerd, telemetry);
  const { images, containers } = runtime.namespace('system');
  await runtime.version();
  assert.deepEqual(spans, [
    { name: 'containerd.services.version.v1.Version/Version', kind: 'client', ended: true },
  ]);
  const archive = await layoutArchive(await imageWith(), 'registry.example/test/trace:v1');
  await images.import(
    (async function* () {
      yield archive;
    })(),
  );
  await containers.create({ id: 'traced', image: 'registry.example/test/trace:v1' });
  spans.length = 0;
  await containers.start('traced');
  const called = spans.map(({ name }) => name.replace(/^containerd\.services\./, ''));
  assert.deepEqual(called, [
    'containers.v1.Containers/Get',
    'tasks.v1.Tasks/Get',
    'snapshots.v1.Snapshots/Mounts',
    'tasks.v1.Tasks/Create',
    'tasks.v1.Tasks/Start',
  ]);
  await containers.remove('traced', { force: true });
  assert.deepEqual(
    spans.filter(({ kind, ended }) => kind !== 'client' || !ended),
    [],
  );
});
