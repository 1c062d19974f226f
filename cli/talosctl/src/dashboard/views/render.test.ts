// Whole screens as a user sees them: testing/frames/*.txt. UPDATE_FRAMES=1 writes them again for a review.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DashboardModel } from '../model/model.ts';
import { frameText, lineWidth } from '../screen/frame.ts';
import { afterKeys } from '../testing/press.ts';
import { now, sampleModel } from '../testing/sample-model.ts';
import { renderDashboard } from './render.ts';

const folder = join(import.meta.dirname, '../testing/frames');

const screens: Readonly<Record<string, DashboardModel>> = {
  summary: sampleModel(),
  monitor: afterKeys(sampleModel(), 'f2'),
  kinds: afterKeys(sampleModel(), 'f3'),
  resources: afterKeys(sampleModel(), 'f3', 'down', 'enter'),
  document: afterKeys(sampleModel(), 'f3', 'down', 'enter', 'enter'),
  logs: afterKeys(sampleModel(), 'f4', 'tab', 'tab'),
  nodes: afterKeys(sampleModel(), 'f5'),
  away: afterKeys(sampleModel(), 'l', 'l'),
  unheard: afterKeys(sampleModel(), 'h'),
};

for (const [name, model] of Object.entries(screens)) {
  for (const [columns, rows] of [
    [80, 24],
    [120, 40],
    [200, 60],
  ] as const) {
    const file = `${name}-${columns}x${rows}`;
    test(`renderDashboard() draws ${file}`, () => {
      const frame = renderDashboard(model, { columns, rows }, now);
      assert.equal(frame.length, rows);
      assert.deepEqual(new Set(frame.map(lineWidth)), new Set([columns]));
      const text = `${frameText(frame).join('\n')}\n`;
      const path = join(folder, `${file}.txt`);
      if (process.env.UPDATE_FRAMES) writeFileSync(path, text);
      assert.equal(text, readFileSync(path, 'utf8'));
    });
  }
}

test('renderDashboard() reports that the terminal is too small, within its size', () => {
  assert.deepEqual(frameText(renderDashboard(sampleModel(), { columns: 30, rows: 4 }, now)), [
    'The terminal has 30x4.',
    'The dashboard needs 80x24:',
    'make it larger, or press q.',
    '',
  ]);
});

test('renderDashboard() has no control character in any cell, whatever nodes send', () => {
  for (const model of Object.values(screens)) {
    const text = frameText(renderDashboard(model, { columns: 80, rows: 24 }, now)).join('');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f]/);
  }
});
