// The trace of a bootstrap on a node of containers, read from the cluster's Jaeger.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { engineEnvironment, openDockerCluster } from '../cluster/docker/docker-cluster.ts';
import { runTalosctl } from '../cluster/run-talosctl.ts';
import { reasonToSkip } from './reason-to-skip.ts';
import { type Trace, treeOf } from './trace-tree.ts';

/** It ends with a call to etcd, whose container may take a minute to start while other suites use the processors. */
const traceTimeoutMs = 120_000;

suite('bootstrap in containers', { skip: await reasonToSkip() }, () => {
  test('one trace shows the command, the gateway, the service, the engine and etcd', async () => {
    const shape = { controlPlanes: 1, workers: 0 };
    await using cluster = await openDockerCluster(shape, { flags: ['--skip-bootstrap'] });
    const { jaeger } = cluster.view;
    const { exitCode, stderr } = await runTalosctl(['-n', 'node01', 'bootstrap'], {
      home: cluster.home,
      environment: { ...engineEnvironment(), OTEL_EXPORTER_OTLP_ENDPOINT: jaeger?.otlp ?? '' },
    });
    assert.equal(exitCode, 0, stderr);

    const query = `${jaeger?.url}/api/traces?service=talosctl&operation=talosctl%20bootstrap`;
    const call = 'machine.MachineService/Bootstrap';
    const expected = [
      /^talosctl: talosctl bootstrap$/,
      new RegExp(`^ +apid of node01: ${call}$`),
      new RegExp(`^ +machined of node01: ${call}$`),
      /^ +machined of node01: bootstrap etcd$/,
      /^ +machined of node01: service transition$/,
      /^ +machined of node01: docker .*[cC]reate/,
      /^ +machined of node01: docker .*[sS]tart/,
      /^ +machined of node01: etcd Cluster\/MemberList$/,
    ];
    let lines: string[] = [];
    // Every program exports its spans at its own time.
    const isWhole = async () => {
      const { data } = (await (await fetch(query)).json()) as { data: Trace[] };
      lines = data.flatMap(treeOf);
      return (
        lines[0]?.startsWith('talosctl') && expected.every((each) => lines.some((line) => each.test(line)))
      );
    };
    await eventually(async () => (await isWhole()) === true, {
      what: 'whole trace',
      timeoutMs: traceTimeoutMs,
    }).catch(() => assert.fail(`the trace is\n${lines.join('\n')}`));
    // All spans are descendants of the command's span.
    assert.equal(lines.filter((line) => !line.startsWith(' ')).length, 1, lines.join('\n'));
  });
});
