import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { grubMenu, type MenuEntry, menuBytes, parseGrubMenu } from './menu.ts';

const first: MenuEntry = { slot: 'A', tag: 'v1.14.0', commandLine: 'panic=10 nodewright.slot=A' };
const second: MenuEntry = { slot: 'B', tag: 'v1.14.1', commandLine: 'panic=10 nodewright.slot=B' };

// Disks that were written with these bytes exist: what reads a menu must know them.
const firstMenu = `set default=A
set timeout=3
serial --unit=0 --speed=115200
terminal_input console serial
terminal_output console serial
menuentry 'A - nodewright v1.14.0' --id A {
  if hashsum --hash sha256 --check /A/SHA256SUMS --prefix /A; then
    linux /A/vmlinuz panic=10 nodewright.slot=A
    initrd /A/initramfs
  else
    echo 'The kernel or the initramfs of slot A was changed: restarting in 10 s'
    sleep 10
    reboot
  fi
}
`;

test('grubMenu() writes the bytes that are on the disks of machines', () => {
  assert.equal(grubMenu([first], 3), firstMenu);
});

test('parseGrubMenu() reads what grubMenu() writes', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9=.,:@%+*~^!?()[\]/_-]{1,40}$/);
  const line = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));
  const entry = (slot: 'A' | 'B') =>
    fc.record(
      { slot: fc.constant(slot), tag: word, commandLine: line },
      { noNullPrototype: true },
    ) as fc.Arbitrary<MenuEntry>;
  const entries = fc.tuple(entry('A'), entry('B'), fc.constantFrom('A', 'B', 'AB', 'BA', ''));
  fc.assert(
    fc.property(entries, fc.nat(60), ([a, b, order], timeoutSeconds) => {
      const menu = { entries: [...order].map((slot) => (slot === 'A' ? a : b)), timeoutSeconds };
      assert.deepEqual(parseGrubMenu(grubMenu(menu.entries, timeoutSeconds)), menu);
    }),
  );
});

test('parseGrubMenu() refuses a menu in which anything else stands', () => {
  const menu = grubMenu([first, second], 3);
  const changed = [
    '',
    menu.slice(0, -1),
    `${menu}\n`,
    menu.replace('set default=A', 'set default=B'),
    menu.replace('set timeout=3', 'set timeout=03'),
    menu.replace('set timeout=3\n', ''),
    menu.replace('/A/initramfs', '/B/initramfs'),
    menu.replace('--check /B/', '--check /A/'),
    menu.replace('--id B {', '--id A {'),
    menu.replace('    reboot\n', ''),
    menu.replace('panic=10', 'panic=10; reboot'),
    menu.replaceAll('\n', '\r\n'),
    firstMenu + firstMenu.slice(firstMenu.indexOf('menuentry')),
    `${menu}${'#'.repeat(menuBytes)}`,
  ];
  for (const text of changed)
    assert.throws(() => parseGrubMenu(text), { kind: 'data-loss' }, text.slice(0, 400));
});

test('parseGrubMenu() returns or throws a Fault for every change of a byte', () => {
  const menu = grubMenu([first, second], 3);
  fc.assert(
    fc.property(fc.nat(menu.length - 1), fc.string({ maxLength: 3 }), (at, text) => {
      const changed = menu.slice(0, at) + text + menu.slice(at + 1);
      try {
        const { entries, timeoutSeconds } = parseGrubMenu(changed);
        assert.equal(grubMenu(entries, timeoutSeconds), changed);
      } catch (error) {
        assert.equal((error as { kind?: string }).kind, 'data-loss', String(error));
      }
    }),
  );
});

test('grubMenu() refuses texts that GRUB would interpret', () => {
  for (const text of [
    "v1'",
    'v1\nreboot',
    'a; reboot',
    'x=$root',
    'a"b',
    'a\\b',
    'a {',
    '}',
    'a & b',
    '<',
    '# b',
  ]) {
    assert.throws(() => grubMenu([{ ...first, tag: text }], 3), { kind: 'invalid-argument' }, text);
    assert.throws(() => grubMenu([{ ...first, commandLine: text }], 3), { kind: 'invalid-argument' }, text);
  }
});
