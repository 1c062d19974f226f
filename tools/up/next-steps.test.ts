import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSteps } from './next-steps.ts';

test('nextSteps() names commands for the cluster that was started, and how to remove it', () => {
  const steps = nextSteps({ name: 'talos-default', controlplanes: '1', workers: '1', kubernetes: false });
  assert.equal(
    steps,
    `
Next:
  bin/talosctl -n node01,node02 memory   # ask the nodes
  bin/talosctl ui                        # the cluster in your browser
  bin/talosctl dashboard                 # the same on this terminal
  bin/talosctl -n node01 health          # check it
  make down                              # remove it
`,
  );
  const other = nextSteps({ name: 'other', controlplanes: '3', workers: '9', kubernetes: true });
  assert.match(
    other,
    /-n node01,node02,node03,node04 memory .*\n.*kubeconfig .*\n {2}make down cluster=other /s,
  );
});
