import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterKeys } from '../testing/press.ts';
import { afterEvents, sampleModel } from '../testing/sample-model.ts';
import { keyGroups } from './key-table.ts';
import type { DashboardModel } from './model.ts';
import type { Overlay } from './overlay.ts';
import { subscriptionsOf } from './subscriptions.ts';

type Question = Extract<Overlay, { readonly kind: 'question' }>;

function questionOf({ overlay }: DashboardModel): Question {
  assert.equal(overlay?.kind, 'question');
  return overlay as Question;
}

/** The question about a reboot of node01, after the nodes have said what that means. */
function answered(lines: readonly string[] = ['node01 reboots']): DashboardModel {
  const asked = afterKeys(sampleModel(), 'a', 'r');
  return afterEvents(asked, 'node01', { kind: 'effect', planned: questionOf(asked).planned, lines });
}

const kinds = (model: DashboardModel) => subscriptionsOf(model).map(({ kind, node }) => `${kind} ${node}`);

test('? shows the keys, and q, esc and ? hide them without leaving', () => {
  const help = afterKeys(sampleModel(), '?');
  assert.equal(help.overlay?.kind, 'help');
  for (const key of ['q', 'escape', '?']) {
    const { overlay, isLeaving } = afterKeys(help, key);
    assert.deepEqual([overlay, isLeaving], [undefined, false]);
  }
  assert.equal(afterKeys(help, 'ctrl-c').isLeaving, true);
});

test('the menu leads to a question, by its key or with enter, and esc leads out', () => {
  assert.deepEqual(questionOf(afterKeys(sampleModel(), 'a', 'r')).planned, {
    kind: 'reboot',
    mode: 'default',
  });
  assert.deepEqual(questionOf(afterKeys(sampleModel(), 'a', 'j', 'enter')).planned, { kind: 'shutdown' });
  const etcd = questionOf(afterKeys(sampleModel(), 'a', 'e', 'j', 'enter'));
  assert.deepEqual([etcd.node, etcd.planned], ['node01', { kind: 'service', verb: 'restart', id: 'etcd' }]);
  assert.equal(afterKeys(sampleModel(), 'a', 'e', 'escape').overlay, undefined);
});

test('y confirms only what is on the screen: not before the effect is known, and only for the node in question', () => {
  const asked = afterKeys(sampleModel(), 'a', 'r');
  assert.ok(kinds(asked).includes('effect node01'));
  assert.equal(afterKeys(asked, 'y'), asked);
  const { planned } = questionOf(asked);
  const elsewhere = afterEvents(asked, 'node02', { kind: 'effect', planned, lines: ['x'] });
  assert.equal(questionOf(elsewhere).lines, undefined);
  const later = afterEvents(asked, 'node01', { kind: 'effect', planned: { kind: 'shutdown' }, lines: ['x'] });
  assert.equal(questionOf(later).lines, undefined, 'the answer to another question');
  assert.equal(kinds(answered()).includes('effect node01'), false, 'the nodes are asked once');
});

test('a confirmed action is started once, and followed until its end', () => {
  const started = afterKeys(answered(), 'y', 'y');
  assert.deepEqual(started.nodes[0]?.action?.serial, 1);
  assert.equal(kinds(started).filter((kind) => kind === 'action node01').length, 1);
  const step = { kind: 'action-step', serial: 1, message: 'done', atMs: 5 } as const;
  const done = afterEvents(started, 'node01', { ...step, state: 'done' });
  assert.equal(kinds(done).includes('action node01'), false);
  const stale = afterEvents(done, 'node01', { ...step, serial: 7, state: 'failed' });
  assert.equal(stale.nodes[0]?.action?.state, 'done');
});

test('n, enter and esc start nothing', () => {
  for (const key of ['n', 'enter', 'escape', 'q']) {
    const { overlay, nodes, isLeaving } = afterKeys(answered(), key);
    assert.deepEqual([overlay, nodes[0]?.action, isLeaving], [undefined, undefined, false]);
  }
});

test('every key of the page of keys does something where the page says', () => {
  const screens: Readonly<Record<string, DashboardModel>> = {
    Everywhere: afterKeys(sampleModel(), 'f5'),
    'Summary and logs': afterKeys(sampleModel(), 'f4'),
    Monitor: afterKeys(sampleModel(), 'f2', 'j'),
    Resources: afterKeys(sampleModel(), 'f3', 'down', 'enter'),
    Nodes: afterKeys(sampleModel(), 'f5'),
    Events: afterKeys(sampleModel(), 'f6'),
  };
  const names: Readonly<Record<string, readonly string[]>> = {
    '1 to 7, F1 to F7': ['1', '7', 'f1', 'f7'],
    'j k, arrows, page': ['j', 'down', 'page-down', 'end', 'G'],
    'enter, esc': ['enter', 'escape'],
    'tab, [ ]': ['tab', '[', ']'],
    'h l, left right': ['h', 'l', 'left', 'right'],
    'c m': ['m', 'c'],
    'Ctrl-Z': ['ctrl-z'],
    'q, Ctrl-C': ['q', 'ctrl-c'],
    // The program draws again, and the model stays.
    'Ctrl-L': [],
  };
  for (const { title, keys } of keyGroups) {
    const model = screens[title];
    assert.ok(model, title);
    for (const { term } of keys)
      for (const key of names[term] ?? [term])
        assert.notDeepEqual(afterKeys(model, key), model, `${title}: ${key}`);
  }
});
