// Whole screens as a user sees them: testing/frames/*.txt. UPDATE_FRAMES=1 writes them again for a review.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DashboardModel } from '../model/model.ts';
import { frameText, lineWidth } from '../screen/frame.ts';
import { afterKeys } from '../testing/press.ts';
import { afterEvents, now, sampleModel } from '../testing/sample-model.ts';
import { renderDashboard } from './render.ts';

const folder = join(import.meta.dirname, '../testing/frames');

/** The question before a reboot, with an effect as a hostile node could make it. */
function question(): DashboardModel {
  const asked = afterKeys(sampleModel(), 'a', 'r');
  if (asked.overlay?.kind !== 'question') throw new Error('there is no question');
  const { planned } = asked.overlay;
  const lines = [
    'node01 reboots',
    '  this takes away 1 etcd voter, 2 of 3 remain, of which node03 does not answer, too few for etcd to work (it needs 2)',
    '  node01 cannot be called: \u001b[2Jowned\u202e',
  ];
  return afterEvents(asked, 'node01', { kind: 'effect', planned, lines });
}

/** A reboot on its way, with a message of the node. */
function rebooting(): DashboardModel {
  const message = 'phase: stop\u001b[31mEverything action: START';
  const step = { serial: 1, state: 'running', message, atMs: now.getTime() - 5000 } as const;
  return afterEvents(afterKeys(question(), 'y'), 'node01', { kind: 'action-step', ...step });
}

const screens: Readonly<Record<string, DashboardModel>> = {
  summary: sampleModel(),
  monitor: afterKeys(sampleModel(), 'f2'),
  kinds: afterKeys(sampleModel(), 'f3'),
  resources: afterKeys(sampleModel(), 'f3', 'down', 'enter'),
  document: afterKeys(sampleModel(), 'f3', 'down', 'enter', 'enter'),
  logs: afterKeys(sampleModel(), 'f4', 'tab', 'tab'),
  merged: afterKeys(sampleModel(), 'f4', 'shift-tab', 'n'),
  nodes: afterKeys(sampleModel(), 'f5'),
  events: afterKeys(sampleModel(), 'f6', 'k'),
  etcd: afterKeys(sampleModel(), 'f7'),
  away: afterKeys(sampleModel(), 'l', 'l'),
  unheard: afterKeys(sampleModel(), 'h'),
  help: afterKeys(sampleModel(), '?'),
  menu: afterKeys(sampleModel(), 'a', 'j'),
  services: afterKeys(sampleModel(), 'a', 'e', 'j'),
  asking: afterKeys(sampleModel(), 'a', 's'),
  question: question(),
  rebooting: rebooting(),
};

const drawn = [
  [40, 10],
  [80, 24],
  [200, 60],
] as const;
const sizes = [...drawn, [24, 6], [60, 20], [80, 10], [120, 40], [200, 10]] as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const hidden = /[\u0000-\u001f\u007f-\u009f]|[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

for (const [name, model] of Object.entries(screens)) {
  for (const [columns, rows] of drawn) {
    const file = `${name}-${columns}x${rows}`;
    test(`renderDashboard() draws ${file}`, (t) => {
      const text = `${frameText(renderDashboard(model, { columns, rows }, now)).join('\n')}\n`;
      const path = join(folder, `${file}.txt`);
      if (process.env.UPDATE_FRAMES) {
        writeFileSync(path, text);
        return t.skip('written again: look at the difference, and run without UPDATE_FRAMES');
      }
      assert.equal(text, readFileSync(path, 'utf8'));
    });
  }

  test(`renderDashboard() fills each size with ${name}, without a character that controls the terminal`, () => {
    for (const [columns, rows] of sizes) {
      const frame = renderDashboard(model, { columns, rows }, now);
      assert.equal(frame.length, rows, `${columns}x${rows}`);
      assert.deepEqual(new Set(frame.map(lineWidth)), new Set([columns]), `${columns}x${rows}`);
      assert.doesNotMatch(frameText(frame).join(''), hidden);
    }
  });
}

test('the question itself is on the screen, however small that is', () => {
  for (const [columns, rows] of sizes) {
    const text = frameText(renderDashboard(question(), { columns, rows }, now)).join('\n');
    assert.match(text, /Continue\? \(y\/N\)/, `${columns}x${rows}`);
  }
});

test('renderDashboard() reports that the terminal is too small, within its size', () => {
  assert.deepEqual(frameText(renderDashboard(sampleModel(), { columns: 23, rows: 4 }, now)), [
    'The terminal has 23x4.',
    'The dashboard needs 24…',
    'make it larger, or pre…',
    '',
  ]);
});

test('all times are in UTC, which is named, wherever the user is', (t) => {
  const zone = process.env.TZ;
  t.after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  const draw = () =>
    ['summary', 'events', 'etcd', 'away'].map((name) =>
      frameText(renderDashboard(screens[name] as DashboardModel, { columns: 120, rows: 40 }, now)).join('\n'),
    );
  const drawnIn = ['UTC', 'Asia/Kolkata', 'America/Los_Angeles'].map((each) => {
    process.env.TZ = each;
    return draw();
  });
  assert.equal(new Set(drawnIn.map((each) => each.join('\n'))).size, 1);
  for (const frame of drawnIn[0] ?? []) assert.match(frame, /\d\d:\d\d:\d\d UTC/);
});

test('figures of a node of processes are labelled as those of the host', () => {
  const size = { columns: 120, rows: 40 };
  const shown = (model: DashboardModel, key: string) =>
    frameText(renderDashboard(afterKeys(model, key), size, now)).join('\n');
  const explained = (unmanaged: string) =>
    afterEvents(sampleModel(), 'node01', {
      kind: 'facts',
      facts: { explained: { unmanaged, specs: [], omitted: 0, problems: [] } },
    });
  const processes = explained('this node is a set of processes on a shared host: it changes no links');
  assert.match(shown(processes, 'f1'), /LOAD 1\.50 0\.75 0\.25 {2}of the host/);
  assert.match(
    shown(processes, 'f2'),
    /Network and disks .*of the host[\s\S]*Processes .*of the host, by CPU/,
  );
  assert.match(shown(processes, 'f5'), /Nodes .*figures of the host/);
  for (const key of ['f1', 'f2', 'f5']) {
    for (const other of [sampleModel(), explained('')]) assert.doesNotMatch(shown(other, key), /of the host/);
  }
});
