import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterKeys } from '../testing/press.ts';
import { afterEvents, member, sampleModel } from '../testing/sample-model.ts';
import { shownKinds, shownResources } from './browse.ts';
import { shownNode } from './model.ts';
import { subscriptionsOf } from './subscriptions.ts';

test('keys select screens and nodes, and wrap around at both ends', () => {
  const at = (...words: string[]) => {
    const { screen, nodeAt } = afterKeys(sampleModel(), ...words);
    return `${screen} ${nodeAt}`;
  };
  assert.equal(at('f2', 'l'), 'monitor 1');
  assert.equal(at('3', 'h'), 'resources 3');
  assert.equal(at('right', 'right', 'right', 'l'), 'summary 0');
  assert.equal(at('5', 'j', 'enter'), 'summary 1');
});

test('q and Ctrl-C quit; Ctrl-C also quits while a filter is being typed', () => {
  assert.equal(afterKeys(sampleModel(), 'q').isLeaving, true);
  assert.equal(afterKeys(sampleModel(), 'f4', '/', 'q').isLeaving, false);
  assert.equal(afterKeys(sampleModel(), 'f4', '/', 'q', 'ctrl-c').isLeaving, true);
});

test('Ctrl-Z freezes the picture but not the updates', () => {
  const stopped = afterKeys(sampleModel(), 'ctrl-z');
  const later = afterEvents(stopped, 'node01', { kind: 'lost', message: 'gone', hop: undefined, atMs: 0 });
  assert.equal(shownNode(later).reach.kind, 'here');
  assert.equal(shownNode(afterKeys(later, 'ctrl-z')).reach.kind, 'away');
});

test('a log that was scrolled back keeps its position when lines arrive, and follows again at its end', () => {
  const scrolled = afterKeys(sampleModel(), 'k');
  const later = afterEvents(scrolled, 'node01', {
    kind: 'log-lines',
    log: 'kernel',
    lines: ['3', '4'],
    atMs: 0,
  });
  assert.equal(later.logUpTo, 1);
  assert.equal(afterKeys(later, 'end').logUpTo, undefined);
  assert.equal(afterKeys(later, 'j', 'j', 'j').logUpTo, undefined);
  assert.equal(afterKeys(later, 'g').logUpTo, 1);
});

test('tab cycles through the logs of the node; another node without that log shows its first', () => {
  const logs = ['tab', 'tab', 'tab', 'tab', 'tab'].map(
    (_, at, all) => afterKeys(sampleModel(), ...all.slice(0, at + 1)).log,
  );
  assert.deepEqual(logs, ['apid', 'etcd', 'machined', 'all services', 'kernel']);
  assert.equal(afterKeys(sampleModel(), 'shift-tab').log, 'all services');
});

test('the browser opens a kind and a resource, and returns to the position before', () => {
  const inKind = afterKeys(sampleModel(), 'f3', 'down', 'enter');
  assert.deepEqual([inKind.place.level, inKind.place.type], ['resources', 'Members.cluster.talos.dev']);
  const inDocument = afterKeys(inKind, 'down', 'enter');
  assert.deepEqual([inDocument.place.level, inDocument.place.id], ['document', 'cp-2']);
  const back = afterKeys(inDocument, 'escape', 'escape');
  assert.deepEqual([back.place.level, back.place.kindAt], ['kinds', 1]);
});

test('a filter matches kinds by all their names, and resources by their ids', () => {
  const typed = afterKeys(sampleModel(), 'f3', '/', 'S', 'e', 'c');
  assert.deepEqual(
    shownKinds(typed).map(({ displayType }) => displayType),
    ['OSRootSecret'],
  );
  assert.equal(shownKinds(afterKeys(typed, 'escape')).length, 3);
  const kept = afterKeys(typed, 'backspace', 'enter', 'down');
  assert.deepEqual([kept.isTyping, kept.filter], [false, 'Se']);
  const ids = afterKeys(sampleModel(), 'f3', 'down', 'enter', '/', '-', '2');
  assert.deepEqual(
    shownResources(ids).map(({ metadata }) => metadata.id),
    ['cp-2'],
  );
});

test('a kind with exactly the name that is searched comes first, then those that begin so', () => {
  const names = ['Services', 'ServiceStatuses', 'ExtensionServices', 'Extensions'];
  const kinds = names.map((type) => ({
    ...{ type: `${type}.x`, displayType: type, defaultNamespace: 'x', aliases: [], printColumns: [] },
    ...{
      allAliases: [type.toLowerCase(), `${type}.x`],
      skipAutomaticAliases: false,
      sensitivity: '' as const,
    },
  }));
  const model = afterEvents(sampleModel(), 'node01', { kind: 'kinds', kinds });
  const found = shownKinds(afterKeys(model, 'f3', '/', ...'services'));
  assert.deepEqual(
    found.map(({ displayType }) => displayType),
    ['Services', 'ServiceStatuses', 'ExtensionServices'],
  );
  const begun = shownKinds(afterKeys(model, 'f3', '/', ...'service'));
  assert.deepEqual(
    begun.map(({ displayType }) => displayType),
    ['ServiceStatuses', 'Services', 'ExtensionServices'],
  );
});

test('resources of the kind before are not shown under the newly opened kind', () => {
  const entered = afterKeys(sampleModel(), 'f3', 'enter');
  assert.deepEqual([entered.place.type, shownResources(entered)], ['HostnameStatuses.net.talos.dev', []]);
  assert.equal(afterKeys(entered, 'enter').place.level, 'resources');
});

test('a document scrolls to its end and no further', () => {
  const document = afterKeys(sampleModel(), 'f3', 'down', 'enter', 'enter');
  assert.equal(
    afterKeys(document, 'end').place.scroll,
    afterKeys(document, 'end', 'down', 'page-down').place.scroll,
  );
  assert.equal(afterKeys(document, 'end', 'home').place.scroll, 0);
});

test('the specs of secret kinds are not put on the screen', async () => {
  const { documentLines } = await import('./browse.ts');
  const lines = documentLines(member('cp-1'), true);
  assert.match(
    lines.at(-1) ?? '',
    /^spec: # secret: talosctl get Members.cluster.talos.dev cp-1 -o yaml shows it$/,
  );
  assert.equal(lines.join().includes('worker'), false);
});

test('subscriptionsOf() reads from one node what its screen shows, and a summary from the others', () => {
  const keys = (...words: string[]) =>
    subscriptionsOf(afterKeys(sampleModel(), ...words))
      .map(({ key }) => key)
      .filter((key) => !key.startsWith('events'))
      .filter((key) => !/node0[234]|日本/.test(key) || key.includes('true') || key.startsWith('log'));
  const one = ['sample node01 true', 'facts node01 true'];
  assert.deepEqual(keys(), [...one, 'log node01 kernel false 1000']);
  assert.deepEqual(keys('f2'), one);
  assert.deepEqual(keys('f3'), [...one, 'kinds node01']);
  assert.deepEqual(keys('f3', 'down', 'enter').slice(2), [
    'kinds node01',
    'resources node01 cluster/Members.cluster.talos.dev',
  ]);
  assert.deepEqual(keys('l', 'f4'), [
    'sample node01 false',
    'facts node01 false',
    'sample node02 true',
    'facts node02 true',
    'log node02 kernel false 1000',
  ]);
  assert.equal(subscriptionsOf(sampleModel()).length, 13);
  assert.deepEqual(keys('f7').at(-1), 'etcd node01');
});
