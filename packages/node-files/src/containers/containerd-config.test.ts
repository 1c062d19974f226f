import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerdConfig, toml } from './containerd-config.ts';

test('containerdConfig() has the folders of a machine, the CNI plugins and the registries', () => {
  const text = containerdConfig({ oomScore: -500, lowersOomScores: true, limitsPods: true });
  assert.match(text, /^version = 3\nroot = "\/var\/lib\/containerd"\nstate = "\/run\/containerd"\n/);
  assert.match(text, /^oom_score = -500$/m);
  assert.match(text, /\.registry\]\nconfig_path = "\/etc\/cri\/conf\.d\/hosts"\n/);
  assert.match(text, /\.cni\]\nbin_dirs = \["\/opt\/cni\/bin"\]\nconf_dir = "\/etc\/cni\/net\.d"\n/);
  assert.match(text, /\.options\]\nSystemdCgroup = false\nShimCgroup = "\/podruntime\/shim"\n/);
});

test('toml() writes every kind of value, with what texts have in them escaped', () => {
  const table = { flag: true, count: -1, text: 'a"b\\\n\x7f', list: [['x', 'y'], 'z'] };
  assert.equal(
    toml({ '': { first: 'of all' }, 'host."http://a"': table }),
    [
      'first = "of all"\n',
      '[host."http://a"]',
      'flag = true',
      'count = -1',
      'text = "a\\"b\\\\\\n\\u007f"',
      'list = [["x", "y"], "z"]\n',
    ].join('\n'),
  );
});
