import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { arrangePanels } from './arrange-panels.ts';
import { type Dependency, dependencyKinds } from './dependency.ts';
import { dependencyDot } from './dependency-dot.ts';
import { dependencySvg } from './dependency-svg.ts';
import { familiesOfControllers, familyOfType, nameOfController, nameOfType } from './family.ts';
import { familyPanels } from './family-panels.ts';
import { openGraphviz } from './graphviz.ts';

const edge = (controller: string, kind: Dependency['kind'], type: string, id = ''): Dependency => ({
  ...{ controller, kind, type, id },
  namespace: kind.startsWith('output') ? '' : 'network',
});

test('families and short names are derived from the names on the wire', () => {
  assert.deepEqual(
    [
      familyOfType('LinkSpecs.net.talos.dev'),
      familyOfType('Plain'),
      familyOfType('Odd.example.com'),
      nameOfType('LinkSpecs.net.talos.dev'),
      nameOfController('network.LinkSpecController'),
      nameOfController('LinkMergeControllers.net.talos.dev'),
      nameOfController('Controller'),
    ],
    ['net', 'other', 'example.com', 'LinkSpecs', 'LinkSpec', 'LinkMerge', 'Controller'],
  );
});

test('a controller belongs to the family of most of its outputs, or of its inputs without outputs', () => {
  const families = familiesOfControllers([
    edge('A', 'output-shared', 'X.net.talos.dev'),
    edge('A', 'output-shared', 'Y.net.talos.dev'),
    edge('A', 'output-shared', 'Z.block.talos.dev'),
    edge('A', 'input-weak', 'Z.config.talos.dev'),
    edge('B', 'input-weak', 'Z.config.talos.dev'),
  ]);
  assert.deepEqual(Object.fromEntries(families), { A: 'net', B: 'config' });
});

test('a panel draws lines for its own types, and lists foreign types and types with many readers', () => {
  const readers = ['A', 'B', 'C', 'D', 'E', 'F'];
  const [net] = familyPanels([
    ...readers.flatMap((name) => [
      edge(name, 'output-exclusive', `${name}.net.talos.dev`),
      edge(name, 'input-weak', 'Links.net.talos.dev'),
    ]),
    edge('A', 'input-destroy-ready', 'A.net.talos.dev'),
    edge('B', 'input-strong', 'A.net.talos.dev', 'one'),
    edge('B', 'input-weak', 'Configs.other.talos.dev', 'v1'),
  ]);
  assert.ok(net);
  assert.deepEqual(
    net.lines.map(({ controller, kind, type }) => `${controller} ${kind} ${type}`),
    [
      ...readers.map((name) => `${name} output-exclusive ${name}.net.talos.dev`),
      'B input-strong A.net.talos.dev',
    ],
  );
  const named = net.controllers.map(({ name, namedInputs }) => [name, namedInputs.map(({ type }) => type)]);
  assert.deepEqual(named.slice(0, 3), [
    ['A', ['Links.net.talos.dev']],
    ['B', ['Links.net.talos.dev', 'Configs.other.talos.dev']],
    ['C', ['Links.net.talos.dev']],
  ]);
  assert.deepEqual(
    net.types.filter(({ readers }) => readers > 0).map(({ type, readers }) => [type, readers]),
    [
      ['A.net.talos.dev', 1],
      ['Links.net.talos.dev', 6],
    ],
  );
});

test('arrangePanels() leaves a gap between panels and keeps them inside the page', () => {
  const size = fc.record({
    width: fc.integer({ min: 10, max: 900 }),
    height: fc.integer({ min: 10, max: 900 }),
  });
  const gap = 10;
  fc.assert(
    fc.property(fc.array(size, { maxLength: 25 }), (panels) => {
      const { places, width, height } = arrangePanels(panels, gap);
      const boxes = panels.map(
        (panel, at) =>
          ({ ...panel, ...places[at], at }) as typeof panel & { x: number; y: number; at: number },
      );
      for (const a of boxes) {
        assert.ok(a.x >= 0 && a.y >= 0 && a.x + a.width <= width && a.y + a.height <= height);
        for (const b of boxes.slice(a.at + 1)) {
          const isApart =
            a.x + a.width + gap <= b.x + 0.01 ||
            b.x + b.width + gap <= a.x + 0.01 ||
            a.y + a.height + gap <= b.y + 0.01 ||
            b.y + b.height + gap <= a.y + 0.01;
          assert.ok(isApart, `${JSON.stringify(a)} over ${JSON.stringify(b)}`);
        }
      }
    }),
  );
});

test('any names yield a graph that Graphviz can draw, and a picture with valid markup', async () => {
  const layOut = await openGraphviz();
  const name = fc.oneof(
    fc.constantFrom('a.net.talos.dev', 'b.net.talos.dev', 'c', '', '<', '"', '\\\\', '&'),
    fc.string({ unit: 'grapheme' }),
  );
  const dependency = fc.record({
    ...{ controller: name, kind: fc.constantFrom(...dependencyKinds), type: name, id: name },
    namespace: fc.constant('network'),
  });
  fc.assert(
    fc.property(
      fc.array(dependency, { maxLength: 8 }),
      fc.array(name, { maxLength: 8 }),
      (dependencies, ids) => {
        const resources = new Map(dependencies.map(({ type }) => [type, ids]));
        layOut(dependencyDot(dependencies, resources));
        const svg = dependencySvg({ title: 'Controllers of <a> & "b"', dependencies, resources, layOut });
        const tags = svg.match(/<\/?[a-zA-Z][^<>]*>/g) ?? [];
        const open: string[] = [];
        for (const tag of tags) {
          if (tag.endsWith('/>')) continue;
          const word = /[a-zA-Z]+/.exec(tag)?.[0] ?? '';
          if (tag.startsWith('</')) assert.equal(open.pop(), word);
          else open.push(word);
        }
        assert.deepEqual(open, []);
        assert.doesNotMatch(svg, /&(?!#?\w+;)/);
      },
    ),
    { numRuns: 50 },
  );
});
