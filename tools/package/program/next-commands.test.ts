import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextCommands } from './next-commands.ts';

test('nextCommands() names the copy that the cluster runs from, and commands for this cluster', () => {
  const init = { home: '/home/me', name: 'talos-default', nodes: ['node01', 'node02'] };
  assert.equal(
    nextCommands({ ...init, program: '/home/me/.local/share/nodewright/0.1.0-abc/bin/nodewright' }),
    `
Next:
  alias nodewright=~/.local/share/nodewright/0.1.0-abc/bin/nodewright
  nodewright talosctl -n node01,node02 memory   # ask the nodes
  nodewright ui                                 # the cluster in your browser
  nodewright talosctl dashboard                 # the same on this terminal
  nodewright talosctl -n node01 health          # check it
  nodewright down                               # remove it, and what was copied`,
  );
  const other = nextCommands({ ...init, name: 'other', program: "/a b/it's/nodewright" });
  assert.match(other, /alias nodewright="'\/a b\/it'\\''s\/nodewright'"\n/);
  assert.match(other, /nodewright down --name other /);
});

test('nextCommands() makes the context of the cluster current first, when another one is', () => {
  const text = nextCommands({
    ...{ home: '/home/me', name: 'a', nodes: ['node01'], program: '/p/nodewright' },
    otherContext: "a's",
  });
  assert.match(
    text,
    /alias nodewright=\/p\/nodewright\n {2}nodewright talosctl config context 'a'\\''s' +# call this cluster: the current context is of another\n {2}nodewright talosctl -n node01 memory /,
  );
});
