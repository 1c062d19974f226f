import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curveOf, slope } from '../scale/curve.ts';
import { renderCurves } from '../scale/render-curves.ts';

test('slope() fits a straight line through the points', () => {
  assert.equal(
    slope([
      [0, 10],
      [10, 30],
      [20, 50],
    ]),
    2,
  );
  assert.equal(
    slope([
      [0, 0],
      [1, 3],
      [2, 0],
    ]),
    0,
  );
});

const curve = curveOf('nodes', [
  { count: 0, rss: 60, cpuMs: 100 },
  { count: 50, rss: 62, cpuMs: 150 },
  { count: 100, rss: 64, cpuMs: 300 },
]);

test('curveOf() gives the memory and the processor time for each thing', () => {
  assert.deepEqual([curve.kilobytesEach, curve.cpuMsEach], [40, 2]);
  assert.throws(() => curveOf('nodes', curve.samples.slice(0, 1)), /too few samples/);
});

test('renderCurves() draws a panel for each curve with its slope', () => {
  const picture = renderCurves('apid', [curve, { ...curve, of: 'streams' }]);
  assert.equal(picture.match(/<polyline /g)?.length, 2);
  assert.match(picture, /MB resident, 40\.0 kB each/);
  assert.match(picture, />streams</);
  assert.ok(!picture.includes('NaN'));
});
