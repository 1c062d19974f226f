// Comments of list elements, when the list is edited in the browser, which shows no comments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { documentKinds, documentSchema } from '../schema/document-schema.ts';
import type { FieldMap } from '../schema/parse-schema.ts';
import { encodeKeepingComments } from './encode-keeping-comments.ts';
import { identityFields, matchElements } from './match-elements.ts';

/** How a list of the configuration is written, with comments or without; every line of an element has its name. */
interface ListForm {
  readonly title: string;
  readonly head: string;
  readonly element: (name: number, comment: (text: string) => string, change: number) => string;
}

const forms: readonly ListForm[] = [
  {
    title: 'texts',
    head: 'machine:\n  type: worker\n  network:\n    nameservers:\n',
    element: (name, comment) =>
      `${comment(`above 10.0.0.${name}.`)}      - 10.0.0.${name}${comment(`beside 10.0.0.${name}.`)}\n`,
  },
  {
    title: 'maps with a key of the schema',
    head: 'machine:\n  type: worker\n  network:\n    interfaces:\n',
    element: (name, comment, change) =>
      `${comment(`above 10.0.0.${name}.`)}      - interface: "10.0.0.${name}"${comment(`beside 10.0.0.${name}.`)}\n        mtu: ${1400 + change}\n        addresses:\n${comment(`address 1.1.1.${name}.`)}          - 1.1.1.${name}/24\n          - 2.2.${change}.2/24\n`,
  },
  {
    title: 'maps without one',
    head: 'machine:\n  type: worker\n  files:\n',
    element: (name, comment, change) =>
      `${comment(`above 10.0.0.${name}.`)}    - path: /10.0.0.${name}${comment(`beside 10.0.0.${name}.`)}\n      permissions: 0o600\n      op: create\n      content: "${change}"\n`,
  },
  {
    title: 'maps in free objects',
    head: 'machine:\n  type: worker\n  pods:\n',
    element: (name, comment, change) =>
      `${comment(`above 10.0.0.${name}.`)}    - apiVersion: v${change}\n      metadata:\n        name: 10.0.0.${name}.a${comment(`beside 10.0.0.${name}.`)}\n`,
  },
];

const nothing = () => '';

for (const { title, head, element } of forms) {
  /** The text of a list; comments above a line have their own, which is indented like it. */
  const textOf = (elements: readonly { name: number; change: number }[], isCommented: boolean) => {
    const written = elements.map(({ name, change }) =>
      element(name, isCommented ? (text) => ` # ${text}` : nothing, change).replace(
        /^ (# (?:above|address).*\.)( +)-/gm,
        '$2$1\n$2-',
      ),
    );
    return `${head}${written.join('')}cluster: {}\n`;
  };
  const edits = fc
    .uniqueArray(fc.integer({ min: 10, max: 30 }), { minLength: 1, maxLength: 6 })
    .chain((names) =>
      fc.record({
        names: fc.constant(names),
        kept: fc.shuffledSubarray(names),
        added: fc.uniqueArray(fc.integer({ min: 40, max: 50 }), { maxLength: 2 }),
        changed: fc.subarray(names),
        order: fc.array(fc.nat(), { maxLength: 8 }),
      }),
    );

  test(`comments of lists of ${title} stay with their element, and go with it`, () => {
    fc.assert(
      fc.property(edits, ({ names, kept, added, changed, order }) => {
        const source = textOf(
          names.map((name) => ({ name, change: 1 })),
          true,
        );
        const after = [...kept];
        for (const [at, name] of added.entries())
          after.splice((order[at] ?? 0) % (after.length + 1), 0, name);
        fc.pre(after.length > 0);
        const edited = after.map((name) => ({ name, change: changed.includes(name) ? 2 : 1 }));
        const written = encodeKeepingComments(loadConfiguration(textOf(edited, false)), source);
        const lines = written.split('\n');
        const found: string[] = [];
        for (const [at, line] of lines.entries()) {
          const [, place, name = ''] = /# (above|beside|address) (\S+)\.$/.exec(line) ?? [];
          if (place === undefined) continue;
          found.push(`${place} ${name}`);
          const about = place === 'beside' ? line.slice(0, line.indexOf('#')) : (lines[at + 1] ?? '');
          assert.ok(`${about} `.includes(name) || title.endsWith('free objects'), written);
        }
        const expected = kept.flatMap((name) =>
          [...textOf([{ name, change: 1 }], true).matchAll(/# (\w+ \S+)\.$/gm)].map(([, text]) => text ?? ''),
        );
        assert.deepEqual(
          found,
          after.flatMap((name) => expected.filter((text) => text.endsWith(`.${name}`))),
          written,
        );
      }),
      { numRuns: 80, seed: 44 },
    );
  });
}

test('comments of an element without a name stay with the one that has most of its fields', () => {
  const source = `apiVersion: v1alpha1
kind: VolumeConfig
name: STATE
encryption:
  provider: luks2
  keys:
    # about the first
    - nodeID: {}
      tpm: {}
    # about the second
    - static: { passphrase: a }
      lockToState: true
      tpm: {}
`;
  const edited = source.replace(/ +# about.*\n/g, '').replace(/ +- nodeID: .*\n +tpm: .*\n/, '');
  const changed = loadConfiguration(edited.replace('passphrase: a', 'passphrase: b'));
  const written = encodeKeepingComments(changed, source);
  assert.doesNotMatch(written, /first/);
  assert.match(written, /# about the second\n +(?:- )?static/);
});

test('of equal elements those in the same order belong together', () => {
  const source = 'machine:\n  type: worker\n  certSANs:\n    - a # 1\n    - b # 2\n    - a # 3\n';
  const written = encodeKeepingComments(
    loadConfiguration('machine:\n  type: worker\n  certSANs: [b, a, a, c]\n'),
    source,
  );
  assert.deepEqual(written.match(/- .*/g), ['- b # 2', '- a # 3', '- a # 1', '- c']);
});

test('of many equal elements the time grows with their number', () => {
  const cpuOf = (count: number) => {
    const before = Array.from({ length: count }, (_, index) => `${index % 2}`);
    const begun = process.cpuUsage();
    const found = matchElements(['x', ...before, 'y'], ['z', ...before.toReversed(), 'w']);
    const { user, system } = process.cpuUsage(begun);
    assert.equal(found.filter((place) => place !== undefined).length, count);
    return user + system;
  };
  const least = (count: number) => Math.min(...[1, 2, 3].map(() => cpuOf(count)));
  least(2000);
  // Sixteen times as many; the square would be 256 times as long.
  assert.ok(least(64_000) < 100 * Math.max(1000, least(4000)));
});

test('the elements of every list of the schema have a field that tells them apart, where there is one', () => {
  const without: string[] = [];
  const walk = (fields: FieldMap, path: string): void => {
    for (const field of fields.values()) {
      const inside = `${path}.${field.name}`;
      if (field.type === 'list') {
        assert.deepEqual(
          field.elementKeys.filter((key) => !identityFields.includes(key)),
          [],
          inside,
        );
        if (![...field.fields.keys()].some((key) => identityFields.includes(key))) without.push(inside);
      }
      walk(field.fields, inside);
    }
  };
  for (const kind of documentKinds) walk(documentSchema(kind)?.fields ?? new Map(), kind);
  assert.deepEqual(without, ['ContainerConfig.mounts']);
});
