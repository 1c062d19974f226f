import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawTerminal } from './draw-terminal.ts';
import { parseScreen, screenColours } from './parse-screen.ts';
import { privateParts } from './private-text.ts';

test('parseScreen() reads the looks of a terminal, which continue on the next line', () => {
  const [first, second] = parseScreen('a\u001b[1;32m日\u001b[0m b\u001b[7mc\nd\u001b[0me');
  assert.deepEqual(first, [
    { text: 'a', column: 0, columns: 1, isBold: false, isDim: false },
    { text: '日', column: 1, columns: 2, colour: '#3fb950', isBold: true, isDim: false },
    { text: ' b', column: 3, columns: 2, isBold: false, isDim: false },
    {
      ...{ text: 'c', column: 5, columns: 1, isBold: false, isDim: false },
      ...{ colour: screenColours.background, background: screenColours.foreground },
    },
  ]);
  assert.equal(second?.[0]?.background, screenColours.foreground);
  assert.equal(second?.[1]?.background, undefined);
});

test('parseScreen() fails for what it does not know, rather than drawing something else', () => {
  assert.throws(() => parseScreen('\u001b[38;5;200mx'), /SGR/);
  assert.throws(() => parseScreen('\u001b]0;title\u0007'), /escape sequence/);
});

const picture = (...texts: readonly string[]) =>
  drawTerminal({
    ...{ title: 'A <title>', columns: 10, rows: 2 },
    frames: texts.map((text) => ({ lines: parseScreen(text), seconds: 1 })),
  });

test('drawTerminal() draws text as text, whatever it is, and needs nothing from elsewhere', () => {
  const svg = picture('<b>&"x\nok');
  assert.match(svg, />&lt;b&gt;&amp;&quot;x<\/text>/);
  assert.match(svg, /<title id="title">A &lt;title&gt;<\/title>/);
  assert.doesNotMatch(svg, /<script|https?:(?!\/\/www\.w3\.org)|@import|url\((?!#)|animation/);
});

test('drawTerminal() plays several frames, draws equal lines once, and rests for who prefers no motion', () => {
  const svg = picture('same\none', 'same\ntwo');
  assert.equal(svg.match(/>same</g)?.length, 1);
  assert.match(svg, /0\.000%\{transform:translateX\(0px\)\}20\.000%\{transform:translateX\(-120px\)\}100%/);
  assert.match(svg, /animation:film 5\.00s steps\(1,end\) infinite/);
  assert.match(svg, /prefers-reduced-motion:reduce\)\{\.film\{animation:none;transform:translateX\(-120px\)/);
});

test('drawTerminal() draws blocks as shapes of their height', () => {
  assert.match(picture('▂▂'), /<rect x="0" y="13.5" width="16" height="4.5" fill="#c9d1d9"\/>/);
});

test('privateParts() finds paths, secrets and names of the machine', () => {
  const found = (text: string) => privateParts(text, ['builder-7', 'ann']);
  assert.deepEqual(found('state in /home/ann/x'), ['/home']);
  assert.deepEqual(found('run on builder-7'), ['builder-7']);
  assert.deepEqual(found('token: abc'), ['token: a']);
  assert.deepEqual(found('-----BEGIN CERTIFICATE'), ['-----BEGIN']);
  assert.deepEqual(found('node01 ~/nodewright/_out http://127.0.0.77:16686 /var/lib/etcd'), []);
});
