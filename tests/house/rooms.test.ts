// The import rules between the rooms, which are the folders, of programs and packages that have many of them. Those of machined are its
// topics (topics.test.ts). Each list is exact: an import that is not listed fails, and so does a row that is not needed any more.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');

interface House {
  /** Relative to the checkout. */
  readonly source: string;
  /** For each room the rooms that it imports. `.` is the folder itself, with the entry of the program or package. */
  readonly rooms: Readonly<Record<string, readonly string[]>>;
}

const houses: Readonly<Record<string, House>> = {
  apid: {
    source: 'services/apid/src',
    rooms: {
      '.': ['domain', 'gateway', 'host'],
      domain: [],
      gateway: ['domain'],
      host: ['domain'],
    },
  },
  build: {
    source: 'packages/build/src',
    rooms: {
      '.': [],
      archives: [],
      bundles: [],
      debian: ['.'],
      etcd: ['.', 'go'],
      go: ['.', 'debian'],
      keys: [],
      kubernetes: ['go'],
    },
  },
  provision: {
    source: 'packages/provision/src',
    rooms: {
      '.': ['cluster', 'docker', 'domain', 'process', 'qemu'],
      cluster: ['domain'],
      docker: ['cluster', 'domain', 'engine'],
      domain: ['machine'],
      engine: ['domain'],
      machine: [],
      process: ['cluster', 'domain'],
      qemu: ['cluster', 'domain', 'machine', 'process'],
      spans: ['cluster', 'domain'],
      supervisor: ['cluster', 'domain', 'process', 'spans'],
    },
  },
  talosctl: {
    source: 'cli/talosctl/src',
    rooms: {
      '.': ['output', 'program', 'render'],
      action: ['context', 'nodes', 'output', 'render', 'values'],
      archive: [],
      cgroups: ['archive', 'nodes'],
      commands: [
        'action',
        'archive',
        'cgroups',
        'completion',
        'configuration',
        'context',
        'dashboard',
        'edit',
        'etcd',
        'get',
        'help',
        'image-cache',
        'inspect',
        'kubeconfig',
        'local-clusters',
        'nodes',
        'output',
        'packet',
        'prove-run',
        'render',
        'replay',
        'support',
        'ui',
        'upgrade',
        'values',
      ],
      completion: ['context', 'get', 'local-clusters', 'nodes', 'render'],
      configuration: ['context', 'get', 'nodes', 'output', 'render', 'values'],
      context: ['output'],
      dashboard: ['action', 'context', 'get', 'nodes', 'output', 'render', 'values'],
      edit: ['configuration', 'context', 'output'],
      etcd: [],
      get: ['context', 'json-path', 'nodes', 'output', 'render', 'values'],
      help: ['context', 'node-selection'],
      'image-cache': [],
      inspect: ['get', 'render'],
      'json-path': [],
      kubeconfig: ['context', 'nodes'],
      'local-clusters': ['context', 'nodes'],
      'node-selection': ['context', 'nodes', 'output'],
      nodes: ['context', 'output', 'render'],
      output: [],
      packet: [],
      program: [
        'commands',
        'completion',
        'context',
        'help',
        'node-selection',
        'output',
        'render',
        'suggest',
        'usage',
        'values',
      ],
      'prove-run': ['context', 'local-clusters'],
      render: ['context', 'json-path', 'output'],
      replay: ['context', 'support', 'values'],
      suggest: ['completion', 'context', 'nodes', 'values'],
      support: ['action', 'context', 'get', 'inspect', 'nodes', 'output', 'render', 'values'],
      ui: [
        'action',
        'configuration',
        'context',
        'dashboard',
        'etcd',
        'get',
        'nodes',
        'output',
        'render',
        'support',
        'upgrade',
        'values',
      ],
      upgrade: ['action', 'context', 'nodes', 'output', 'render'],
      usage: ['context', 'help', 'output'],
      values: [],
    },
  },
};

const isTest = (file: string) => /\.test\.tsx?$/.test(file) || file.includes('testing/');
const roomOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '.');

/** The rooms of a house, each with the rooms that its files import. Imports of types count, those of tests do not. */
function findRooms(source: string): Record<string, string[]> {
  const folder = join(checkout, source);
  const found = new Map<string, Set<string>>();
  for (const file of globSync(['**/*.ts', '**/*.tsx'], { cwd: folder }).filter((one) => !isTest(one))) {
    const room = roomOf(file);
    const targets = found.get(room) ?? new Set<string>();
    found.set(room, targets);
    const specifiers = readFileSync(join(folder, file), 'utf8').matchAll(
      /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)['"](\.[^'"]+)['"]/gm,
    );
    for (const [, specifier = ''] of specifiers) {
      const target = normalize(join(dirname(file), specifier));
      if (!target.startsWith('..') && roomOf(target) !== room) targets.add(roomOf(target));
    }
  }
  return Object.fromEntries([...found].sort().map(([room, targets]) => [room, [...targets].sort()]));
}

/** The circles of a list of rooms, each as a path that ends where it has been before. */
function findCircles(rooms: Readonly<Record<string, readonly string[]>>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (room: string, path: readonly string[]) => {
    if (path.includes(room)) circles.push([...path.slice(path.indexOf(room)), room].join(' > '));
    else if (!done.has(room)) {
      for (const next of rooms[room] ?? []) visit(next, [...path, room]);
      done.add(room);
    }
  };
  for (const room of Object.keys(rooms)) visit(room, []);
  return circles;
}

test('findCircles() names each circle', () => {
  assert.deepEqual(findCircles({ a: ['b', 'c'], b: ['c'], c: [] }), []);
  assert.deepEqual(findCircles({ a: ['b'], b: ['c'], c: ['b'] }), ['b > c > b']);
});

for (const [name, { source, rooms }] of Object.entries(houses)) {
  test(`the rooms of ${name} import the rooms in their lists`, () => {
    const found = findRooms(source);
    assert.deepEqual(Object.keys(found).sort(), Object.keys(rooms).sort());
    for (const [room, targets] of Object.entries(found))
      assert.deepEqual(targets, rooms[room], `${source}/${room}`);
  });

  test(`the imports between the rooms of ${name} have no circle`, () => {
    assert.deepEqual(findCircles(rooms), []);
  });
}
