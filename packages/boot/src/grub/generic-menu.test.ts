import assert from 'node:assert/strict';
import { test } from 'node:test';
import { genericMenu, readsEnvironment } from './generic-menu.ts';
import { grubMenu } from './menu.ts';
import { slotEntry } from './slot-entry.ts';

const entry = { slot: 'B', tag: 'v1.14.1', commandLine: 'panic=10 nodewright.slot=B' } as const;

test('the generic menu reads the environment block, the menu of earlier versions does not', () => {
  assert.ok(readsEnvironment(genericMenu()));
  assert.ok(!readsEnvironment(grubMenu([entry], 3)));
  assert.ok(!readsEnvironment('load_env\n# save_env next_entry\n'));
  assert.ok(!readsEnvironment('save_env next_entry\n'));
});

test('the generic menu removes what is started once before anything is started', () => {
  const menu = genericMenu();
  assert.ok(menu.indexOf('save_env next_entry') < menu.indexOf('source '));
  assert.ok(!/menuentry|\bboot\b|linux/.test(menu));
});

// Disks get these bytes: what reads an entry must know them.
test('an entry of a slot starts its kernel only when the digests match, and says that it is whole', () => {
  assert.equal(
    slotEntry(entry),
    `menuentry 'B - nodewright v1.14.1' --id B {
  if hashsum --hash sha256 --check /B/SHA256SUMS --prefix /B; then
    linux /B/vmlinuz panic=10 nodewright.slot=B
    initrd /B/initramfs
  else
    echo 'The kernel or the initramfs of slot B was changed'
    if [ -z "$fallback" ]; then
      echo 'Restarting in 10 s'
      sleep 10
      reboot
    fi
  fi
}
set complete=B
`,
  );
});

test('slotEntry() refuses texts that GRUB would interpret', () => {
  for (const text of [
    "v1'",
    'v1\nreboot',
    'a; reboot',
    'x=$root',
    'a"b',
    'a\\b',
    '}',
    'a & b',
    '# b',
    '\0',
  ]) {
    assert.throws(() => slotEntry({ ...entry, tag: text }), { kind: 'invalid-argument' }, text);
    assert.throws(() => slotEntry({ ...entry, commandLine: text }), { kind: 'invalid-argument' }, text);
  }
});
